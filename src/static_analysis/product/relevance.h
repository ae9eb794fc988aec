// SPDX-License-Identifier: Apache-2.0

// What decides where control goes: registers and memory the product keeps values of. All else holds
// anything, which keeps sums, payloads and counters out of its states.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "static_analysis/threads/threads.h"

namespace foretell::static_analysis {

class Relevance {
 public:
  // Without `checks`, conditions do not count one side of which ends the program: both sides are
  // then explored.
  Relevance(const Threads& threads, const bitcode::PointsTo& points_to, bool checks);

  bool is_relevant(const llvm::Value& value) const { return values_.contains(&value); }
  // Of memory, by what makes it: a global, a slot, an allocating call.
  bool is_relevant_site(const llvm::Value* site) const { return all_ || sites_.contains(site); }

 private:
  void add(const llvm::Value* value);
  void add_seeds(const llvm::Instruction& instruction, bool checks);
  void add_operands(const llvm::Value& value);
  void add_sites(const llvm::Value& pointer);
  void add_written();

  const bitcode::PointsTo& points_to_;
  llvm::DenseSet<const llvm::Value*> values_, sites_;
  bool all_ = false;
  std::vector<const llvm::Value*> left_;
  std::vector<const llvm::Instruction*> writes_;
};

}  // namespace foretell::static_analysis
