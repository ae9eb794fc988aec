// SPDX-License-Identifier: Apache-2.0

// Translator: one step record in, one event out.
//
// It keeps what a record leaves to the reader: the calls each thread is in (for user-facing sites),
// what is allocated, and which object lies at an address. A step always becomes exactly one event,
// because a schedule counts steps and a witness counts events. So where a record breaks a rule of
// traces it becomes another event that breaks none:
//   lock operation                             see lock_rules.h
//   function exit, block end or barrier exit
//     without its beginning                    a branch without a value
//   access of no bytes                         an access of a variable that only its thread has
//   second free of the same memory             a free of something no other event names
//   allocation of what is allocated already
//     (its free was not recorded)              one byte longer, so that it is another object
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "recording/property_hooks.h"
#include "trace/event.h"
#include "trace/recording/benign_ranges.h"
#include "trace/recording/heap_blocks.h"
#include "trace/recording/locations.h"
#include "trace/recording/sites.h"
#include "trace/recording/sync_objects.h"
#include "trace/tables.h"

namespace foretell::recording {

// Plain accesses of fixed size: everything about them stands in the record.
struct PlainOp {
  trace::EventKind kind{};
  uint8_t size = 0;  // 0: another operation
  bool has_value = true;
};

constexpr PlainOp plain_op(Op op) {
  switch (op) {
    case Op::Read1:
      return {trace::EventKind::Read, 1};
    case Op::Read2:
      return {trace::EventKind::Read, 2};
    case Op::Read4:
      return {trace::EventKind::Read, 4};
    case Op::Read8:
      return {trace::EventKind::Read, 8};
    case Op::Write1:
      return {trace::EventKind::Write, 1};
    case Op::Write2:
      return {trace::EventKind::Write, 2};
    case Op::Write4:
      return {trace::EventKind::Write, 4};
    case Op::Write8:
      return {trace::EventKind::Write, 8};
    case Op::Read16:
      return {trace::EventKind::Read, 16, false};
    case Op::Read32:
      return {trace::EventKind::Read, 32, false};
    case Op::Write16:
      return {trace::EventKind::Write, 16, false};
    case Op::Write32:
      return {trace::EventKind::Write, 32, false};
    default:
      return {};
  }
}

class Translator {
 public:
  struct Thread {
    uint64_t number = 0;
    ThreadId id{};
    struct Frame {
      uint32_t function = 0;   // its site
      uint32_t user_call = 0;  // the innermost call outside libraries
    };
    std::vector<Frame> frames;
    std::vector<LabelId> blocks;
    bool is_waiting = false;
    uint32_t wait_condition = 0, wait_lock = 0;  // places in SyncObjects
    uint32_t wait_depth = 0;
    bool at_barrier = false;
    BarrierId barrier{};

    uint32_t user_call() const { return frames.empty() ? kNoSite : frames.back().user_call; }
  };

  Translator(trace::TraceTables& tables, const Modules& modules, bool without_values)
      : tables_(tables),
        sites_(tables, modules, without_values),
        locations_(tables, modules),
        objects_(tables, modules, locations_),
        blocks_(tables, locations_) {}

  SiteTable& sites() { return sites_; }
  LocationTable& locations() { return locations_; }
  const LocationTable& locations() const { return locations_; }

  // Null if no thread can have that number.
  Thread* thread(uint64_t number);

  // A step; `event.index` is the caller's.
  Result<void> step(Thread& thread, Record record, const uint64_t (&extensions)[2],
                    trace::Event& event);

  // The short way for a plain access.
  void plain(Thread& thread, Record record, PlainOp op, trace::Event& event) {
    SiteTable::Entry& site = sites_[record.site()];
    const uint64_t key = LocationTable::key_of(record.address(), op.size);
    if (site.last_key != key) {
      site.last_key = key;
      site.last_location = locations_.find(key);
    }
    event.kind = op.kind;
    event.order = MemoryOrder::seq_cst;
    event.thread = thread.id;
    event.object = static_cast<uint32_t>(site.last_location);
    event.site = site.id;
    if (site.is_library) [[unlikely]]
      event.site = sites_.seen_from(record.site(), thread.user_call());
    event.extra = 0;
    const bool has_value = site.has_values && op.has_value;
    event.flags = has_value ? trace::Event::kHasValue : 0;
    event.value = has_value ? record.value() : 0;
  }

  // Records that are not steps, except Switch and Sequence. `index` is that of the next event.
  void note(Thread& thread, Record record, const uint64_t (&extensions)[2], uint64_t index);

  const std::vector<trace::BenignRange>& benign() const { return benign_.all(); }
  // What a thread began to wait for, before the event with that index.
  struct Waiting {
    uint64_t index = 0;
    Awaited awaited{};
    std::string object;
    SiteId site = foretell::kNoSite;
  };
  const std::map<uint64_t, Waiting>& waiting() const { return waiting_; }
  const std::vector<trace::MisuseFact>& misuses() const { return misuses_; }
  const std::map<uint64_t, uint64_t>& parents() const { return parents_; }
  const std::map<uint64_t, std::string>& thread_names() const { return thread_names_; }

  void rewind();

 private:
  static constexpr uint64_t mask(uint64_t size) {
    return size >= 8 ? ~uint64_t{0} : (uint64_t{1} << (size * 8)) - 1;
  }
  static uint32_t site_number(uint64_t value) {
    return value <= kMaxSite ? static_cast<uint32_t>(value) : kNoSite;
  }

  void range(Thread& thread, Record record, trace::EventKind kind, trace::Event& event);
  Result<void> atomic(Record record, const uint64_t (&extensions)[2], trace::EventKind kind,
                      trace::Event& event);
  Result<void> other_thread(Thread& thread, Record record, trace::EventKind kind,
                            trace::Event& event);
  void lock(Thread& thread, Record record, trace::EventKind kind, trace::Event& event);
  void wait_begin(Thread& thread, Record record, trace::Event& event);
  void wait_end(Thread& thread, Record record, uint64_t ticket, trace::Event& event);
  void barrier_enter(Thread& thread, Record record, trace::Event& event);
  void barrier_exit(Thread& thread, Record record, trace::Event& event);
  void semaphore(Thread& thread, Record record, uint64_t ticket, trace::Event& event);
  void enter(Thread& thread, Record record, trace::Event& event);
  void exit(Thread& thread, Record record, trace::Event& event);
  void block(Thread& thread, Record record, trace::EventKind kind, trace::Event& event);
  void allocate(Record record, trace::Event& event);
  void free(Record record, trace::Event& event);
  Result<void> destroy(Thread& thread, Record record, trace::Event& event);
  void misuse(Thread& thread, Record record, uint64_t other, uint64_t index);
  std::string value_text(uint64_t value, ValueType type);
  void user(Record record, const uint64_t (&extensions)[2], trace::Event& event);
  void wait_for(Thread& thread, Record record, uint64_t index);
  void become_stand_in(SyncObject& lock, trace::Event& event);
  static void become_branch(trace::Event& event);
  uint32_t object(SyncKind kind, uint64_t address, const Thread& thread, Record record);

  trace::TraceTables& tables_;
  SiteTable sites_;
  LocationTable locations_;
  SyncObjects objects_;
  std::deque<Thread> threads_;
  absl::flat_hash_map<uint64_t, Thread*> by_number_;
  HeapBlocks blocks_;
  BenignRanges benign_;
  std::map<uint64_t, uint64_t> parents_;  // thread -> who forked it
  std::map<uint64_t, std::string> thread_names_;
  std::vector<trace::MisuseFact> misuses_;
  std::map<uint64_t, Waiting> waiting_;  // by thread: the last time
};

}  // namespace foretell::recording
