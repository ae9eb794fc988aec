// SPDX-License-Identifier: Apache-2.0

// The control flow of a function in stretches that run to their end once they begin, and the scope
// of each (control_dependence.h).
//
// A stretch ends with its block, or behind a call that may not return: by exiting, by an endless
// loop, or by an exception. Edges from a block with several ways to a block with several origins are
// stretches of their own, so that one can ask what decides which way a phi was reached.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <vector>

#include "bitcode/control_scope/conduct.h"
#include "bitcode/control_scope/control_dependence.h"
#include "bitcode/control_scope/loops.h"

namespace foretell::bitcode {

class FunctionFlow {
 public:
  FunctionFlow(const llvm::Function& function, Conducts& conducts, const EndingLoops& ending);

  struct Stretch {
    const llvm::Instruction* first = nullptr;  // nothing in one that is an edge
    const llvm::Instruction* last = nullptr;
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const FlowGraph& graph() const { return graph_; }

  uint32_t of(const llvm::Instruction& instruction) const { return of_.find(&instruction)->second; }
  // The edge, or the origin if it has no other way.
  uint32_t of_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;

  // What depends on the choice at the end of a stretch, directly.
  const std::vector<uint32_t>& scope(uint32_t stretch) const { return scopes_[stretch]; }
  // With what depends on that, and so on.
  std::vector<uint32_t> whole_scope(uint32_t stretch) const;
  // The stretches whose scopes contain it.
  const std::vector<uint32_t>& controllers(uint32_t stretch) const { return controllers_[stretch]; }

 private:
  void add_stretches(const llvm::Function& function, Conducts& conducts);
  void add_edges(const llvm::Function& function, Conducts& conducts);
  std::vector<bool> endings(const std::vector<FlowCycle>& cycles, const EndingLoops& ending) const;

  FlowGraph graph_;
  std::vector<Stretch> stretches_;
  llvm::DenseMap<const llvm::Instruction*, uint32_t> of_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, uint32_t> edges_;
  std::vector<std::vector<uint32_t>> scopes_, controllers_;
};

}  // namespace foretell::bitcode
