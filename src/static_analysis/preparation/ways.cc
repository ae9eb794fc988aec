// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/ways.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>

namespace foretell::static_analysis {

void separate_ways(llvm::Function& function) {
  // What is this large is not threads of a program that one can see through.
  constexpr size_t kMaxBlocks = 400;
  if (function.size() < 3 || function.size() > kMaxBlocks) return;
  llvm::FunctionAnalysisManager manager;
  manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  manager.registerPass([] { return llvm::BranchProbabilityAnalysis(); });
  manager.registerPass([] { return llvm::BlockFrequencyAnalysis(); });
  const llvm::TargetLibraryInfoImpl known(llvm::Triple(function.getParent()->getTargetTriple()));
  llvm::TargetLibraryInfo library(known);
  llvm::TargetTransformInfo target(function.getDataLayout());
  llvm::AssumptionCache assumptions(function);
  llvm::DominatorTree dominators(function);
  llvm::AAResults aliases(library);
  llvm::LazyValueInfo values(&assumptions, &function.getDataLayout());
  llvm::JumpThreadingPass threading;
  threading.runImpl(function, &manager, &library, &target, &values, &aliases,
                    std::make_unique<llvm::DomTreeUpdater>(
                        dominators, llvm::DomTreeUpdater::UpdateStrategy::Lazy),
                    std::nullopt, std::nullopt);
}

}  // namespace foretell::static_analysis
