// SPDX-License-Identifier: Apache-2.0

// CacheSolver: answers from earlier answers.
//
// Constraints are taken as a set. In this order:
//   exact      the set was asked before. A give-up is repeated only if the limit is not larger now
//   superset   the set contains one that is unsat: unsat
//   subset     the set is part of one that is sat: that model
//   model      one of the last models happens to satisfy the set
// The last two choose models by what was asked before, so they never answer a query for a canonical
// model; nor is a model found that way, or by an incremental solver, ever given out as canonical.
// Sets that were sat are forgotten after kSatSetsKept newer ones, models after kModelsTried, by
// count and not by time or memory.
//
// All queries must come from one ExprContext.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "smt/solver.h"

namespace foretell::smt {

struct CacheStatistics {
  size_t exact = 0, superset = 0, subset = 0, model = 0, missed = 0;
};

class CacheSolver : public Solver {
 public:
  explicit CacheSolver(Solver& next) : next_(next) {}
  Outcome check(const Query& query) override;
  const CacheStatistics& statistics() const { return statistics_; }

 private:
  static constexpr size_t kSatSetsKept = 64;
  static constexpr size_t kModelsTried = 8;

  using Set = std::vector<uint32_t>;  // ids, ascending
  struct Entry {
    Outcome outcome;
    ModelWanted model_kind = ModelWanted::none;  // which the outcome has
    StepLimit limit = StepLimit::none;           // under which it was asked
  };
  struct SatSet {
    SatSet(Set s, Model m) : set(std::move(s)), model(std::move(m)), evaluator(model) {}
    Set set;
    Model model;
    Evaluator evaluator;
  };

  const Outcome* find_exact(const Set& set, const Query& query) const;
  bool contains_unsat(const Set& set) const;
  const Model* find_model(const Set& set, const Query& query);
  Outcome remember(Set set, const Query& query, Outcome outcome);

  Solver& next_;
  absl::flat_hash_map<Set, Entry> exact_;
  // By their largest id, which is usually the branch that made them unsat.
  absl::flat_hash_map<uint32_t, std::vector<Set>> unsat_;
  std::deque<std::unique_ptr<SatSet>> sat_;  // newest first
  CacheStatistics statistics_;
};

}  // namespace foretell::smt
