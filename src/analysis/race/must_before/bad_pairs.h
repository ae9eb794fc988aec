// SPDX-License-Identifier: Apache-2.0

// BadPairs: the component B of PREDICT 15.2, clashing accesses that nothing orders so far.
//
// An edge that orders a pair may be found as late as the end of a critical section that is open
// now, so a pair counts as a race only in a closed state, one in which no thread holds a lock. That
// a pair is ordered, on the other hand, stays true. So a pair is looked at when its second thread
// has left its last section, which is when nearly all lock-protected pairs turn out to be ordered
// and go; the others wait for a closed state.
//
// A busy program may never be closed. A limited number of pairs waits; when there are more, they
// are decided with the edges known by then, which can only propose too much.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/access_vector.h"
#include "analysis/race/must_before/extra_edges.h"
#include "base/dense_table.h"

namespace foretell::analysis {

struct BadPair {
  LocationId location;
  AccessEntry first;
  finding::EventRef second;
  AdjustableClock before;  // of the second access' thread right before it
};

class BadPairs {
 public:
  BadPairs(const ExtraEdges& edges, ProposalSink& sink, size_t most)
      : edges_(edges), sink_(sink), most_(most) {}

  // `in_section`: the second access' thread holds a lock.
  void add(BadPair pair, bool in_section);

  // `thread` holds no lock any more.
  void leave_sections(ThreadId thread);

  // Nobody holds a lock.
  void decide();

  template <class F>
  void for_each_clock(F&& f) {
    for_each([&](BadPair& pair) { f(pair.before); });
  }
  template <class F>
  void for_each(F&& f) {
    for (size_t i = 0; i < inside_.size(); ++i) {
      for (BadPair& pair : inside_[ThreadId{static_cast<uint32_t>(i)}]) f(pair);
    }
    for (BadPair& pair : waiting_) f(pair);
  }

  void report_counters(CounterSink& counters) const;

 private:
  bool is_ordered(BadPair& pair);
  void decide_waiting();

  const ExtraEdges& edges_;
  ProposalSink& sink_;
  const size_t most_;
  DenseTable<std::vector<BadPair>, ThreadId> inside_;  // the second thread holds a lock
  std::vector<BadPair> waiting_;                       // it does not, but another thread may

  uint64_t added_ = 0, ordered_ = 0, races_ = 0, decided_while_open_ = 0;
  size_t most_waiting_ = 0;
};

}  // namespace foretell::analysis
