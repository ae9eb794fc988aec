// SPDX-License-Identifier: Apache-2.0

// WritesByThread: the writes of each location, thread by thread in program order.
//
// Along a thread what an event needs and what comes before it only grows, so of the writes of one
// thread those that an order allows are a range of this list, found by halving.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::analysis {

class WritesByThread {
 public:
  struct Run {
    uint32_t thread = 0;
    uint32_t begin = 0, end = 0;  // in all writes
  };

  explicit WritesByThread(const judge::TraceFacts& facts);

  // One for each thread that writes the location.
  std::span<const Run> runs(LocationId location) const {
    const size_t i = to_index(location);
    return std::span(runs_).subspan(first_run_[i], first_run_[i + 1] - first_run_[i]);
  }
  std::span<const judge::Position> of(const Run& run) const {
    return std::span(writes_).subspan(run.begin, run.end - run.begin);
  }
  // A number for each run, from 0 on.
  size_t number(const Run& run) const { return static_cast<size_t>(&run - runs_.data()); }
  size_t run_count() const { return runs_.size(); }

 private:
  std::vector<uint32_t> first_run_;  // by location: in runs_
  std::vector<Run> runs_;
  std::vector<judge::Position> writes_;
};

}  // namespace foretell::analysis
