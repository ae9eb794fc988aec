// SPDX-License-Identifier: Apache-2.0

// Loops and scalar evolution of a prepared function, made when they are first asked for.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>

namespace foretell::static_analysis {

struct LoopAnalyses {
  explicit LoopAnalyses(llvm::Function& function)
      : known(llvm::Triple(function.getParent()->getTargetTriple())),
        library(known),
        assumptions(function),
        dominators(function),
        loops(dominators),
        evolution(function, library, assumptions, dominators, loops) {}

  llvm::TargetLibraryInfoImpl known;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::ScalarEvolution evolution;
};

class LoopAnalysesCache {
 public:
  LoopAnalyses& of(const llvm::Function& function) {
    auto& known = made_[&function];
    if (!known) known = std::make_unique<LoopAnalyses>(const_cast<llvm::Function&>(function));
    return *known;
  }

 private:
  std::map<const llvm::Function*, std::unique_ptr<LoopAnalyses>> made_;
};

}  // namespace foretell::static_analysis
