// SPDX-License-Identifier: Apache-2.0

// SyncObjects: locks, conditions, barriers and semaphores of a recording, by address.
//
// Names, best first: the one the program gave (LockName); the global variable, with its field; the
// expression at the first operation, made unique (`q->lock`, `q->lock#2`); otherwise the thread
// that used it first and a number per thread (`lock@T1:3`). None of them contains an address, so
// they are the same in every run with the same schedule.
//
// Freed memory ends the life of what lies in it: the next object at that address is another one.
// A second pass over the recording meets the objects in the same order, and gives the same ids.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "trace/recording/locations.h"
#include "trace/tables.h"

namespace foretell::recording {

enum class SyncKind : uint8_t { lock, condition, barrier, semaphore };

struct SyncObject {
  uint32_t id = 0;  // LockId, ConditionId, ...
  SyncKind kind{};

  // Locks: who holds it, as far as the records say.
  struct Reader {
    ThreadId thread{};
    uint32_t depth = 0;
  };
  bool held = false;
  ThreadId holder{};
  uint32_t depth = 0;
  std::vector<Reader> readers;
  // Set when the records break the rules of a lock (lock_rules.h); what stands for it then.
  bool is_broken = false;
  std::optional<LocationId> stand_in;

  uint64_t opened = 0;  // barriers: generations that somebody has left

  void reset() { *this = {.id = id, .kind = kind, .stand_in = stand_in}; }
};

class SyncObjects {
 public:
  SyncObjects(trace::TraceTables& tables, const Modules& modules, LocationTable& locations)
      : tables_(tables), modules_(modules), locations_(locations) {}

  // The place of the object at `address`; `expression()` names it if `thread` is its first user.
  uint32_t find(SyncKind kind, uint64_t address, ThreadId thread, auto expression) {
    auto it = live_.find(key_of(kind, address));
    if (it != live_.end()) [[likely]]
      return it->second;
    return create(kind, address, thread, expression());
  }
  // A new object at `address` takes the place of the one that was there.
  uint32_t create(SyncKind kind, uint64_t address, ThreadId thread, std::string_view expression);
  SyncObject& operator[](uint32_t place) { return objects_[place]; }
  std::string name(uint32_t place) const;

  // The location that stands for a broken lock.
  LocationId stand_in(SyncObject& lock);

  void name_lock(uint64_t address, std::string name) { names_[address] = std::move(name); }
  void end_lives(uint64_t address, uint64_t size);
  void rewind();

 private:
  static uint64_t key_of(SyncKind kind, uint64_t address) {
    return address << 2 | static_cast<uint64_t>(kind);
  }
  std::string name_of(SyncKind kind, uint64_t address, ThreadId thread,
                      std::string_view expression);
  uint32_t intern(SyncKind kind, std::string name);

  trace::TraceTables& tables_;
  const Modules& modules_;
  LocationTable& locations_;
  absl::flat_hash_map<uint64_t, uint32_t> live_;      // key -> place in objects_
  std::set<uint64_t> keys_;                           // of live_, in order of addresses
  std::vector<SyncObject> objects_;                   // in order of first use, whatever their kind
  size_t used_ = 0;                                   // of objects_, in this pass
  std::map<uint64_t, std::string> names_;             // of locks, by address
  absl::flat_hash_map<ThreadId, uint32_t> nameless_;  // objects that only have their thread's
  absl::flat_hash_map<std::string, uint32_t> next_number_;  // by name with kind
};

}  // namespace foretell::recording
