// SPDX-License-Identifier: Apache-2.0

// KeptTrace: the raw events of one trace in memory, for readers that come later.
//
// Whoever decodes a trace first adds its events here; later readers take them from memory instead
// of decoding the file again. An event takes 24 bytes: its index is its place, and `extra`, which
// few kinds have, is kept aside. A trace of more than `most` events is not kept: then everything is
// given up, and memory never exceeds 24 bytes times that number (and the extras).
//
// The tables are shared by all readers of one KeptTrace, so its readers belong to one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/reader.h"

namespace foretell::trace {

// Up to here whole traces are held in memory.
inline constexpr uint64_t kInMemoryEvents = uint64_t{1} << 24;

class KeptTrace {
 public:
  // `name` is what messages call the trace.
  explicit KeptTrace(std::string name, uint64_t most = kInMemoryEvents)
      : name_(std::move(name)), most_(most) {}

  // The next raw events, in order from the first.
  void add(std::span<const Event> raw);
  // All events were added; these are their names.
  void finish(TraceTables tables) { tables_ = std::move(tables); }

  // False if there were too many: nothing is kept.
  bool is_whole() const { return added_ <= most_; }
  uint64_t size() const { return added_; }
  TraceTables& tables() { return tables_; }

  // A reader from the first event, of a whole one.
  static std::unique_ptr<TraceReader> reader(std::shared_ptr<KeptTrace> trace);

 private:
  class Reader;
  struct Packed {
    EventKind kind;
    MemoryOrder order;
    uint16_t flags;  // Event's, and kHasExtra
    ThreadId thread;
    uint32_t object;
    SiteId site;
    uint64_t value;
  };
  static_assert(sizeof(Packed) == 24);
  static constexpr uint16_t kHasExtra = 0x8000;
  static constexpr size_t kBlockSize = size_t{1} << 16;  // events

  void put(const Event& e);

  std::string name_;
  uint64_t most_;
  uint64_t added_ = 0;
  std::vector<std::unique_ptr<Packed[]>> blocks_;
  std::vector<uint64_t> extras_;  // of the events that have one, in their order
  TraceTables tables_;
};

}  // namespace foretell::trace
