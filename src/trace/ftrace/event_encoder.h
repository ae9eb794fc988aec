// SPDX-License-Identifier: Apache-2.0

// EventEncoder: gathers the events of one chunk into columns (trace/ftrace/event_columns.h).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <string>
#include <vector>

#include "trace/event.h"
#include "trace/ftrace/event_columns.h"

namespace foretell::trace::ftrace {

class EventEncoder {
 public:
  // Adds `e`, whose index is implied. False if the chunk has no room for it.
  bool add(const Event& e);

  uint32_t count() const { return count_; }
  const std::string& column(size_t i) const { return columns_[i]; }

  // Completes the columns.
  void finish();
  // Empties everything for the next chunk.
  void reset();

 private:
  struct Template {
    Shape shape;
    uint32_t value_salt;
    uint32_t extra_salt;
    uint32_t last_object = 0;
    uint32_t successor = 0;
  };
  struct Thread {
    uint32_t previous = 0;  // template
    RecentObjects recent;
  };

  // The template's number, or kMaxTemplates if there is no room for a new one.
  uint32_t template_of(const Event& e);
  void switch_thread(ThreadId thread);
  void put_object(Template& t, uint32_t object);
  void put_number(uint64_t& prediction, uint64_t number);

  uint32_t count_ = 0;
  std::array<std::string, kColumnCount> columns_;
  std::vector<Template> templates_;
  absl::flat_hash_map<uint64_t, uint32_t> template_ids_;
  std::vector<Thread> threads_;
  absl::flat_hash_map<ThreadId, uint32_t> thread_ids_;
  uint32_t thread_ = 0;  // of the current run
  ThreadId thread_id_{};
  uint64_t run_length_ = 0;
  ValuePredictor values_;
};

}  // namespace foretell::trace::ftrace
