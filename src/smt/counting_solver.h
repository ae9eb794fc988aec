// SPDX-License-Identifier: Apache-2.0

// CountingSolver: what one layer of a chain was asked, and what it answered.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

#include "smt/solver.h"

namespace foretell::smt {

struct LayerStatistics {
  std::string layer;
  size_t queries = 0;
  std::array<size_t, 4> outcomes = {};  // by OutcomeKind
  // In this layer and all below it. For people: nothing is decided by it.
  std::chrono::nanoseconds time = {};

  size_t count(OutcomeKind kind) const { return outcomes[static_cast<size_t>(kind)]; }
};

class CountingSolver : public Solver {
 public:
  CountingSolver(Solver& next, std::string layer) : next_(next) {
    statistics_.layer = std::move(layer);
  }

  Outcome check(const Query& query) override {
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = next_.check(query);
    statistics_.time += std::chrono::steady_clock::now() - begin;
    ++statistics_.queries;
    ++statistics_.outcomes[static_cast<size_t>(outcome.kind)];
    return outcome;
  }
  const LayerStatistics& statistics() const { return statistics_; }

 private:
  Solver& next_;
  LayerStatistics statistics_;
};

}  // namespace foretell::smt
