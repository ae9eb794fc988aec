// SPDX-License-Identifier: Apache-2.0

// WithoutWriter: what is left of a trace if a write does not occur, for order (3) of NONDET.
//
// Each thread is cut before its first event that a path of program order, sync edges and
// read-couples leads to from the write; the couple of the read that is asked about is no such edge.
//
// Clocks of these edges say where that is if the couple counted. It makes a difference only to
// threads whose first such event follows from the read: these are walked from there on, from one
// event that waits for another thread to the next, until they really depend on the write. Events
// that wait for nothing new share their clock with the one before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell::analysis {

class WithoutWriter {
 public:
  explicit WithoutWriter(const GraphParts& parts);

  // By thread: how many of its first events are left without the writer of `read`.
  const std::vector<uint32_t>& limits(judge::Position read);

 private:
  // How many first events of `thread` lead to `p`, itself included.
  uint32_t at(judge::Position p, size_t thread) const {
    if (thread == facts_.thread_index(p)) return facts_.step[p] + 1;
    return rows_[size_t{row_of_[p]} * threads_ + thread];
  }
  template <class Visit>
  void for_each_before(judge::Position p, Visit&& visit) const;

  const GraphParts& parts_;
  const judge::TraceFacts& facts_;
  const size_t threads_;
  std::vector<uint32_t> row_of_;  // by event
  std::vector<uint32_t> rows_;    // steps by thread
  std::vector<std::vector<judge::Position>>
      crossings_;  // by thread: events that wait for another thread
  std::vector<uint32_t> limits_;
  std::vector<std::pair<judge::Position, size_t>> next_;  // a heap: crossings to look at, by thread
};

}  // namespace foretell::analysis
