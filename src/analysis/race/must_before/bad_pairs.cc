// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/bad_pairs.h"

#include <algorithm>

namespace foretell::analysis {

void BadPairs::add(BadPair pair, bool in_section) {
  ++added_;
  if (!in_section) {
    waiting_.push_back(std::move(pair));
  } else {
    auto& pairs = inside_[pair.second.thread];
    pairs.push_back(std::move(pair));
    if (pairs.size() <= most_) return;
    // The section is too long to wait for.
    waiting_.insert(waiting_.end(), std::make_move_iterator(pairs.begin()),
                    std::make_move_iterator(pairs.end()));
    pairs.clear();
  }
  if (waiting_.size() > most_) {
    decided_while_open_ += waiting_.size();
    decide_waiting();
  }
}

bool BadPairs::is_ordered(BadPair& pair) {
  const clocks::Epoch first = pair.first.epoch;
  if (edges_.leads(first, pair.second.thread, pair.before.head().time())) return true;
  edges_.adjust(pair.before);
  return pair.before.contains(first);
}

void BadPairs::leave_sections(ThreadId thread) {
  auto* pairs = inside_.find(thread);
  if (!pairs || pairs->empty()) return;
  for (BadPair& pair : *pairs) {
    if (is_ordered(pair)) {
      ++ordered_;
    } else {
      waiting_.push_back(std::move(pair));
    }
  }
  pairs->clear();
  most_waiting_ = std::max(most_waiting_, waiting_.size());
}

void BadPairs::decide() {
  for (size_t i = 0; i < inside_.size(); ++i) leave_sections(ThreadId{static_cast<uint32_t>(i)});
  if (!waiting_.empty()) decide_waiting();
}

void BadPairs::decide_waiting() {
  for (BadPair& pair : waiting_) {
    if (is_ordered(pair)) {
      ++ordered_;
    } else {
      ++races_;
      sink_.propose(finding::Proposal::race(pair.location, pair.first.ref(), pair.second));
    }
  }
  waiting_.clear();
}

void BadPairs::report_counters(CounterSink& counters) const {
  counters.count("bad pair", added_);
  counters.count("bad pair ordered", ordered_);
  counters.count("bad pair decided in an open state", decided_while_open_);
  counters.count("most bad pairs waiting", most_waiting_);
  counters.count("must-before race", races_);
}

}  // namespace foretell::analysis
