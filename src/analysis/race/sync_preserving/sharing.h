// SPDX-License-Identifier: Apache-2.0

// Sharing: the first pass over a trace, which finds out what the second need not look at.
//
//   locations  used by one thread, or written by none, carry no race and no order; locations with a
//              lock that every access holds (every write exclusively), or with nothing but atomic
//              accesses, carry order but no race;
//   writes     that no other thread reads from order nothing;
//   locks      that one thread uses order nothing;
//   waits      the notify that will end each is known beforehand.
//
// What the first thread does before there is another one comes before everything else, and does
// not count as use, provided that all other threads turn out to be forked. Likewise no access races
// with what a thread does while all others that there were are joined.
//
// Memory: 24 bytes per location until finish(), 4 afterward; a bit per write; 8 bytes per wait;
// allocations that another thread makes use of.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/eraser/lockset_table.h"

namespace foretell::analysis {

class Sharing {
 public:
  explicit Sharing(const AnalysisOptions& options) : allocation_of_(options.allocation_of) {}

  void on_event(const trace::Event& e);
  void finish();

  // Whether anybody is going to ask.
  bool is_wanted() const { return is_wanted_; }
  void want() { is_wanted_ = true; }

  // The rest is valid after finish().

  // What the second pass keeps about a location.
  struct Place {
    uint32_t number : 31 = 0;  // 0: nothing
    uint32_t rivals : 1 = 0;   // accesses that may race
  };
  Place place(LocationId location) const { return places_[to_index(location)]; }
  size_t place_count() const { return place_count_; }

  size_t thread_count() const { return threads_.size(); }
  bool is_shared(LockId lock) const { return locks_[to_index(lock)].shared; }
  // Whether another thread reads from the n-th write of the trace.
  bool is_read_elsewhere(uint64_t write) const { return read_elsewhere_[write]; }
  // The notify that ends the n-th wait; kNoEvent if that ends by itself, nothing if never.
  std::optional<EventIndex> server_of(uint64_t wait) const { return servers_[wait]; }
  bool is_needed_elsewhere(EventIndex allocation) const {
    return allocations_.contains(allocation);
  }

  uint64_t locations() const { return locations_; }
  uint64_t rival_locations() const { return rival_locations_; }

 private:
  enum class Use : uint8_t { none, read, changed };
  struct Row {
    uint64_t write = 0;  // number of the last one
    uint32_t writer = kNobody;
    uint32_t thread = kNobody;  // the first that uses it
    LocksetId lockset{};
    bool shared : 1 = false, written : 1 = false;
    bool plain : 1 = false;         // has an access that is not atomic
    bool foreign : 1 = false;       // allocated by another thread
    bool met : 1 = false;           // used while there were several; `lockset` is of those uses
    bool after_joins : 1 = false;   // used when all others had been joined
    Use before_others = Use::none;  // before there were other threads
  };
  static_assert(sizeof(Row) == 24);
  static constexpr uint32_t kNobody = UINT32_MAX;
  struct HeldLock {
    LockId lock;
    bool shared;
  };
  struct Thread {
    bool seen = false, forked = false, joined = false;
    uint64_t wait = 0;                                 // number of the last one
    std::vector<HeldLock> held;                        // sorted by lock
    std::array<std::optional<LocksetId>, 2> locksets;  // by [is write], forgotten at lock events
  };
  struct Lock {
    uint32_t thread = kNobody;
    bool shared = false;
  };
  struct Intersection {
    LocksetId a{}, b{}, result{};
  };

  void access(const trace::Event& e);
  void use(const trace::Event& e, Row& row, bool write);
  void begin_use(const trace::Event& e, Row& row);
  void meet(const trace::Event& e, Row& row, bool write);
  void live(ThreadId thread);
  void join(ThreadId thread);
  void sync(const trace::Event& e);
  void use_lock(const trace::Event& e);
  void take(const trace::Event& e, bool shared);
  void give_up(const trace::Event& e);
  LocksetId lockset_of(const trace::Event& e, bool write);
  LocksetId intersect(LocksetId a, LocksetId b);
  Place classify(const Row& row, bool alone_counts);

  bool is_wanted_ = false;
  std::function<EventIndex(LocationId)> allocation_of_;
  std::vector<Row> rows_;  // by location, until finish()
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  LocksetTable locksets_;
  std::array<Intersection, 256> recent_ = {};
  bool alone_ = true;  // only the first thread has done anything, and forked none
  size_t living_ = 0;  // threads that were seen or forked, and not joined
  std::optional<ThreadId> first_;
  uint64_t writes_ = 0, writes_alone_ = 0;
  std::vector<bool> read_elsewhere_;                      // by number of write
  std::vector<std::optional<EventIndex>> servers_;        // by number of wait
  absl::flat_hash_map<EventIndex, ThreadId> allocators_;  // until finish()
  absl::flat_hash_set<EventIndex> allocations_;
  std::vector<Place> places_;
  size_t place_count_ = 1;
  uint64_t locations_ = 0, rival_locations_ = 0;
};

// The one that all analyses of a run share, or one of its owner alone.
class SharingUse {
 public:
  explicit SharingUse(const AnalysisOptions& options) : shared_(options.sharing) {
    if (shared_) {
      shared_->want();
    } else {
      own_ = std::make_unique<Sharing>(options);
    }
  }

  bool is_own() const { return own_ != nullptr; }
  void on_event(const trace::Event& e) {
    if (own_) own_->on_event(e);
  }
  void finish() {
    if (own_) own_->finish();
  }
  const Sharing& operator*() const { return own_ ? *own_ : *shared_; }
  const Sharing* operator->() const { return &**this; }

 private:
  std::shared_ptr<Sharing> shared_;
  std::unique_ptr<Sharing> own_;
};

}  // namespace foretell::analysis
