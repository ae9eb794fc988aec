// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/threads/loop_pairs.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

struct LoopPairs::Analyses {
  explicit Analyses(llvm::Function& function)
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

// A call executed once in every round of a loop, with a handle that advances by equal steps.
struct LoopPairs::Repeated {
  const llvm::CallBase* call;
  const llvm::Value* pointer;
  const llvm::Loop* loop;
  const llvm::SCEVAddRecExpr* handle;
  const llvm::SCEV* rounds;  // of the back edge
  bool once_more;            // executed in the last round, too
  const llvm::BasicBlock* exiting;
  const llvm::BasicBlock* exit;
};

namespace {

bool ends_program(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* at = &block;
  for (int steps = 0; steps < 8; steps++) {
    if (llvm::isa<llvm::UnreachableInst>(at->getTerminator())) {
      // A thread that ends leaves the program running.
      for (const llvm::Instruction& instruction : *at)
        if (const auto* call = dyn_cast<llvm::CallBase>(&instruction))
          if (const llvm::Function* callee = call->getCalledFunction();
              callee && (callee->getName() == "pthread_exit" || callee->getName() == "thrd_exit"))
            return false;
      return true;
    }
    at = at->getSingleSuccessor();
    if (!at) return false;
  }
  return false;
}

}  // namespace

std::unique_ptr<LoopPairs::Repeated> LoopPairs::repeated(const llvm::CallBase& call,
                                                         const llvm::Value& pointer) const {
  Analyses& a = *analyses_;
  const llvm::Loop* loop = a.loops.getLoopFor(call.getParent());
  if (!loop || !loop->getLoopLatch()) return nullptr;
  const auto* handle =
      dyn_cast<llvm::SCEVAddRecExpr>(a.evolution.getSCEV(const_cast<llvm::Value*>(&pointer)));
  if (!handle || handle->getLoop() != loop || !handle->isAffine()) return nullptr;
  if (!a.dominators.dominates(call.getParent(), loop->getLoopLatch())) return nullptr;
  llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> edges;
  loop->getExitEdges(edges);
  llvm::erase_if(edges, [](const auto& edge) { return ends_program(*edge.second); });
  if (edges.size() != 1) return nullptr;
  const llvm::SCEV* rounds = a.evolution.getExitCount(loop, edges.front().first);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds)) return nullptr;
  const llvm::BasicBlock* exiting = edges.front().first;
  bool once_more = true;
  if (!a.dominators.dominates(call.getParent(), exiting)) {
    // After the test: not in the round that leaves.
    if (!a.dominators.dominates(exiting, call.getParent()) || call.getParent() == exiting)
      return nullptr;
    once_more = false;
  }
  return std::make_unique<Repeated>(
      Repeated{&call, &pointer, loop, handle, rounds, once_more, exiting, edges.front().second});
}

LoopPairs::LoopPairs(const llvm::Function& function) {
  std::vector<const llvm::CallBase*> starts, joins;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      if (thread_start(*call)) starts.push_back(call);
      if (joined_handle(*call)) joins.push_back(call);
    }
  if (starts.empty() || joins.empty()) return;
  analyses_ = std::make_unique<Analyses>(const_cast<llvm::Function&>(function));
  llvm::ScalarEvolution& evolution = analyses_->evolution;
  for (const llvm::CallBase* start : starts) {
    const auto started = repeated(*start, *thread_start(*start)->handle);
    if (!started) continue;
    for (const llvm::CallBase* join : joins) {
      const auto* load = dyn_cast<llvm::LoadInst>(joined_handle(*join));
      if (!load || load->getParent() != join->getParent()) continue;
      const auto joined = repeated(*join, *load->getPointerOperand());
      if (!joined || joined->rounds != started->rounds || joined->once_more != started->once_more ||
          joined->loop == started->loop)
        continue;
      const llvm::SCEV* step = started->handle->getStepRecurrence(evolution);
      bool same = joined->handle->getStart() == started->handle->getStart() &&
                  joined->handle->getStepRecurrence(evolution) == step;
      const bool same_order = same;
      if (!same &&
          joined->handle->getStepRecurrence(evolution) == evolution.getNegativeSCEV(step)) {
        const llvm::SCEV* last = started->rounds;
        if (!joined->once_more)
          last = evolution.getMinusSCEV(last, evolution.getOne(last->getType()));
        last = evolution.getTruncateOrSignExtend(last, step->getType());
        same = joined->handle->getStart() == started->handle->evaluateAtIteration(last, evolution);
      }
      if (!same) continue;
      Pair pair{start, started->loop->getHeader(), {}, started->pointer, join, same_order};
      for (const llvm::BasicBlock* before : llvm::predecessors(pair.header))
        if (!started->loop->contains(before)) pair.entering.push_back(before);
      pairs_[{joined->exiting, joined->exit}].push_back(std::move(pair));
    }
  }
}

LoopPairs::~LoopPairs() = default;

std::vector<LoopPairs::Pair> LoopPairs::joined_on(const llvm::BasicBlock& from,
                                                  const llvm::BasicBlock& to) const {
  const auto found = pairs_.find({&from, &to});
  return found == pairs_.end() ? std::vector<Pair>{} : found->second;
}

std::vector<LoopPairs::Pair> LoopPairs::all() const {
  std::vector<Pair> every;
  for (const auto& [edge, pairs] : pairs_) every.insert(every.end(), pairs.begin(), pairs.end());
  return every;
}

}  // namespace foretell::static_analysis
