// SPDX-License-Identifier: Apache-2.0

// What was found, in words: one report for each location and each source.
#pragma once

#include "static_analysis/determinism/reductions.h"
#include "static_analysis/determinism/sources.h"

namespace foretell::static_analysis {

class Findings {
 public:
  explicit Findings(const PairRules& rules) : rules_(rules) {}

  void add(const std::vector<Conflict>& conflicts, const Reductions& reductions);
  void add(const std::vector<Source>& sources);
  void add_reductions(const std::vector<Conflict>& explained, const Reductions& reductions);
  void write_to(DeterminismResult& result) const;

  AccessReport report(const llvm::Instruction& instruction, ThreadId thread) const;

 private:
  AccessReport report(const Access& access) const;
  std::string name_of(ThreadId thread) const;
  std::string why(const Conflict& conflict, const Reductions& reductions) const;

  const PairRules& rules_;
  std::vector<NondeterminismReport> reports_;
  std::vector<ReductionReport> reductions_;
};

}  // namespace foretell::static_analysis
