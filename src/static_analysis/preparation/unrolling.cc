// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/unrolling.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "static_analysis/preparation/inlining.h"
#include "static_analysis/preparation/slots.h"
#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {
namespace {

constexpr unsigned kMaxThreadTrips = 20;
constexpr unsigned kMaxPlainTrips = 8;
constexpr size_t kMaxGrowth = 6000;

bool starts_or_joins(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (thread_start(*call) || joined_handle(*call)) return true;
  return false;
}

size_t size_of_loop(const llvm::Loop& loop) {
  size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
  return size;
}

// True if one was unrolled: then the analyses are out of date.
bool unroll_one(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return false;
  const llvm::TargetLibraryInfoImpl known(llvm::Triple(function.getParent()->getTargetTriple()));
  llvm::TargetLibraryInfo library(known);
  llvm::AssumptionCache assumptions(function);
  llvm::ScalarEvolution evolution(function, library, assumptions, dominators, loops);
  const llvm::TargetTransformInfo target(function.getDataLayout());
  llvm::OptimizationRemarkEmitter remarks(&function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const unsigned trips = evolution.getSmallConstantMaxTripCount(loop);
    const unsigned exact = evolution.getSmallConstantTripCount(loop);
    const unsigned limit = starts_or_joins(*loop) ? kMaxThreadTrips : kMaxPlainTrips;
    if (exact == 0 || trips > limit || size_of_loop(*loop) * exact > kMaxGrowth) continue;
    llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
    llvm::UnrollLoopOptions options{.Count = exact,
                                    .Force = true,
                                    .Runtime = false,
                                    .AllowExpensiveTripCount = false,
                                    .UnrollRemainder = false,
                                    .ForgetAllSCEV = true};
    const auto result = llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators,
                                         &assumptions, &target, &remarks, true);
    if (result != llvm::LoopUnrollResult::Unmodified) return true;
  }
  return false;
}

bool has_threads(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& instruction : block)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (thread_start(*call)) return true;
  return false;
}

}  // namespace

void unroll_thread_loops(llvm::Function& function) {
  constexpr int kMaxRounds = 40;
  if (!has_threads(function)) return;
  for (int round = 0; round < kMaxRounds && unroll_one(function); round++) fold_registers(function);
}

}  // namespace foretell::static_analysis
