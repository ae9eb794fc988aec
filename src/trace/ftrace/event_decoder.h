// SPDX-License-Identifier: Apache-2.0

// EventDecoder: the events of one chunk back from their columns (trace/ftrace/event_columns.h).
//
// The bytes may be forged (a checksum proves nothing about their author): every cursor is bounded,
// every id is checked against the tables, every enum against its range.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "trace/event.h"
#include "trace/ftrace/bytes.h"
#include "trace/ftrace/event_columns.h"
#include "trace/tables.h"

namespace foretell::trace::ftrace {

class EventDecoder {
 public:
  // Starts a chunk of `count` events, the first with index `first`. `columns` must stay alive.
  Result<void> start(std::array<std::string_view, kColumnCount> columns, uint32_t count,
                     uint64_t first, const TraceTables& tables);

  // Fills the front of `out` with the next events; returns how many, 0 at the end of the chunk.
  Result<size_t> decode(std::span<Event> out);

  // Of the next event.
  uint64_t next_index() const { return next_index_; }

 private:
  struct Template {
    Shape shape;
    SiteId site;
    uint32_t last_object;
    uint32_t max_object;
    uint32_t successor;  // always below templates_.size()
    uint16_t value_salt;
    uint16_t extra_salt;
    uint64_t max_extra;
  };
  struct Thread {
    ThreadId id;
    uint32_t previous;  // template; always below templates_.size()
    RecentObjects recent;
  };

  Result<void> read_threads(std::string_view column, const TraceTables& tables);
  Result<void> read_templates(std::string_view column, const TraceTables& tables);
  bool start_run();
  bool decode_run(Event* out, size_t count);
  uint32_t object(uint8_t code, uint32_t last, RecentObjects& recent);
  uint32_t wide_object(uint8_t code, uint32_t last);
  uint64_t number(uint64_t& prediction);
  bool numbers(Event& e, const Template& t);
  bool all_used() const;

  uint64_t next_index_ = 0;
  uint64_t end_index_ = 0;
  uint64_t run_left_ = 0;
  Thread* thread_ = nullptr;  // of the current run
  const uint8_t* low_ = nullptr;
  const uint8_t* high_ = nullptr;
  ByteCursor runs_, run_lengths_, objects_, wide_objects_, values_, value_bytes_;
  std::vector<Template> templates_;
  std::vector<Thread> threads_;
  ValuePredictor predictor_;
};

}  // namespace foretell::trace::ftrace
