// SPDX-License-Identifier: Apache-2.0

// AtomicInference: functions that could be declared atomic.
//
// A function is proposed if some call of it touched what threads share more than once (shared
// locations, one of whose accesses writes, and locks), so that others could have interfered, and if
// none of the analyses that ran found a way to violate it. Thread functions are not proposed: they
// are not meant to be atomic. Two passes: the first finds out what is shared. It proposes nothing to
// the judge; the driver asks it for its suggestions when the findings of the others are known.
//
// This is a suggestion from one run, not a proof: another run may violate the function.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "analysis/analysis.h"
#include "base/dense_table.h"
#include "finding/result.h"
#include "trace/tables.h"

namespace foretell::analysis {

class AtomicInference final : public AnalysisOf<AtomicInference> {
 public:
  void on_event(const trace::Event& e) { pass_ == 0 ? note_sharing(e) : count(e); }
  void finish() override { ++pass_; }
  bool wants_another_pass() override { return pass_ < 2; }

  // After the last pass: the candidates, those with the most calls first.
  std::vector<finding::InferredBlock> candidates(const trace::TraceTables& tables) const;
  // Those that no finding blames.
  static void drop_violated(const std::vector<finding::Finding>& findings,
                            std::vector<finding::InferredBlock>& candidates);

 private:
  enum class Sharing : uint8_t { untouched, one_thread, read_by_many, shared };
  struct Location {
    Sharing sharing = Sharing::untouched;
    bool is_written = false;
    ThreadId owner{};
  };
  struct Call {
    FunctionId function{};
    uint64_t shared = 0;  // events in it and in what it calls
  };
  struct Tally {
    uint64_t calls = 0, shared = 0;
  };

  void note_sharing(const trace::Event& e);
  void count(const trace::Event& e);

  int pass_ = 0;
  DenseTable<Location, LocationId> locations_;
  DenseTable<std::vector<Call>, ThreadId> calls_;
  absl::flat_hash_map<FunctionId, Tally> tallies_;
};

}  // namespace foretell::analysis
