// SPDX-License-Identifier: Apache-2.0

// BufferedSink: what an analysis proposes while others run beside it, handed on later.
//
// Analyses look at the same batches on several threads. What they propose reaches the collector as
// if they had taken turns, batch by batch: findings do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/analysis.h"

namespace foretell::pipeline {

class BufferedSink final : public analysis::ProposalSink {
 public:
  explicit BufferedSink(analysis::ProposalSink& to) : to_(to) {}

  void propose(finding::Proposal proposal) override {
    waiting_.push_back({batch_, std::move(proposal)});
  }

  // What follows is proposed in that batch; batches come in ascending order.
  void begin_batch(size_t batch) { batch_ = batch; }
  // Hands on what was proposed in batches up to this one.
  void hand_on(size_t batch) {
    while (next_ < waiting_.size() && waiting_[next_].first <= batch) {
      to_.propose(std::move(waiting_[next_++].second));
    }
    if (next_ == waiting_.size()) {
      waiting_.clear();
      next_ = 0;
    }
  }

 private:
  analysis::ProposalSink& to_;
  size_t batch_ = 0;
  size_t next_ = 0;  // in waiting_
  std::vector<std::pair<size_t, finding::Proposal>> waiting_;
};

}  // namespace foretell::pipeline
