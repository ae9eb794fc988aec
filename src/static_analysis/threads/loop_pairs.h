// SPDX-License-Identifier: Apache-2.0

// Loops that start threads, and the loops that join just those.
//
// `for (i = 0; i < n; i++) create(&t[i])` is undone by `for (i = 0; i < n; i++) join(t[i])`, whatever
// n is: the handles have the same first address, the same step or the opposite one from the other
// end, and the bodies are executed equally often, by scalar evolution. Both calls are executed in
// every round, and the loops are left at one place only, apart from exits that end the program.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <memory>
#include <vector>

#include "bitcode/points_to/points_to.h"

namespace foretell::static_analysis {

class LoopPairs {
 public:
  LoopPairs(const llvm::Function& function);
  ~LoopPairs();

  struct Pair {
    const llvm::CallBase* start;
    const llvm::BasicBlock* header;                 // of the loop that starts
    std::vector<const llvm::BasicBlock*> entering;  // blocks it is entered from
    const llvm::Value* handles;                     // a pointer into the array
    const llvm::CallBase* join;
    bool same_order;  // the first that was started is joined first
  };
  // What was joined when control goes from one block to the other.
  std::vector<Pair> joined_on(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;
  std::vector<Pair> all() const;

 private:
  struct Analyses;
  struct Repeated;
  std::unique_ptr<Repeated> repeated(const llvm::CallBase& call, const llvm::Value& pointer) const;

  std::unique_ptr<Analyses> analyses_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, std::vector<Pair>>
      pairs_;
};

}  // namespace foretell::static_analysis
