// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/parallelize/iterations.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstdlib>

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

constexpr int64_t kLimit = int64_t{1} << 40;

class Decomposition {
 public:
  Decomposition(const llvm::Loop& loop, const llvm::BasicBlock& block,
                llvm::ScalarEvolution& evolution)
      : loop_(loop), block_(block), evolution_(evolution) {}

  bool add(const llvm::SCEV* part) {
    if (evolution_.isLoopInvariant(part, &loop_)) {
      invariant_.push_back(part);
      return true;
    }
    if (const auto* sum = dyn_cast<llvm::SCEVAddExpr>(part))
      return std::ranges::all_of(sum->operands(), [&](const llvm::SCEV* one) { return add(one); });
    const auto* recurrence = dyn_cast<llvm::SCEVAddRecExpr>(part);
    int64_t factor = 1;
    const llvm::Type* wide = part->getType();
    // A signed index that is multiplied by the size of an element: it does not overflow.
    if (const auto* product = dyn_cast<llvm::SCEVMulExpr>(part);
        product && product->getNumOperands() == 2) {
      const auto* constant = dyn_cast<llvm::SCEVConstant>(product->getOperand(0));
      if (!constant) return false;
      factor = constant->getAPInt().getSExtValue();
      part = product->getOperand(1);
      recurrence = dyn_cast<llvm::SCEVAddRecExpr>(part);
    }
    if (const auto* extension = dyn_cast<llvm::SCEVSignExtendExpr>(part);
        extension && extension->getOperand()->getType()->getIntegerBitWidth() >= 32)
      recurrence = dyn_cast<llvm::SCEVAddRecExpr>(extension->getOperand());
    if (!recurrence || !recurrence->isAffine()) return false;
    const auto* step = dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution_));
    if (!step || std::abs(factor) > kLimit || step->getAPInt().getSignificantBits() > 40)
      return false;
    const int64_t by = step->getAPInt().getSExtValue() * factor;
    if (recurrence->getLoop() == &loop_) {
      step_ += by;
    } else {
      // An inner loop, by the number of its rounds.
      const auto* rounds = dyn_cast<llvm::SCEVConstant>(
          evolution_.getConstantMaxBackedgeTakenCount(recurrence->getLoop()));
      if (!rounds || rounds->getAPInt().getActiveBits() > 20) return false;
      // The last round is left in the head, before the body.
      const llvm::Loop& inner = *recurrence->getLoop();
      const bool in_body = inner.getExitingBlock() == inner.getHeader() &&
                           inner.contains(&block_) && &block_ != inner.getHeader();
      const auto count = static_cast<int64_t>(rounds->getAPInt().getZExtValue());
      const int64_t last = (in_body && count > 0 ? count - 1 : count) * by;
      low_ += std::min<int64_t>(0, last);
      high_ += std::max<int64_t>(0, last);
    }
    if (recurrence->getType() == wide && factor == 1) return add(recurrence->getStart());
    // The start, brought to the width of addresses.
    const llvm::SCEV* start = recurrence->getStart();
    if (recurrence->getType() != wide)
      start = evolution_.getSignExtendExpr(start, const_cast<llvm::Type*>(wide));
    if (factor == 1) return add(start);
    if (!evolution_.isLoopInvariant(start, &loop_)) return false;
    invariant_.push_back(evolution_.getMulExpr(
        start, evolution_.getConstant(const_cast<llvm::Type*>(wide), factor, true)));
    return true;
  }

  std::optional<IterationSpan> span(uint64_t size) {
    if (invariant_.empty() || std::abs(step_) > kLimit || high_ - low_ > kLimit) return {};
    return IterationSpan{evolution_.getAddExpr(invariant_), step_, low_,
                         high_ + static_cast<int64_t>(size)};
  }

 private:
  const llvm::Loop& loop_;
  const llvm::BasicBlock& block_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallVector<const llvm::SCEV*> invariant_;
  int64_t step_ = 0, low_ = 0, high_ = 0;
};

}  // namespace

std::optional<IterationSpan> span_in_iteration(const llvm::Instruction& access,
                                               const llvm::Loop& loop,
                                               llvm::ScalarEvolution& evolution) {
  Decomposition parts(loop, *access.getParent(), evolution);
  auto* pointer = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&access));
  if (!pointer || !parts.add(evolution.getSCEV(pointer))) return {};
  return parts.span(access.getDataLayout().getTypeStoreSize(
      llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access))));
}

bool keep_to_iterations(const IterationSpan& a, const IterationSpan& b,
                        llvm::ScalarEvolution& evolution) {
  if (a.step != b.step || a.step == 0) return false;
  const auto* distance = dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(b.base, a.base));
  if (!distance || distance->getAPInt().getSignificantBits() > 40) return false;
  const int64_t by = distance->getAPInt().getSExtValue();
  return std::max(a.high, by + b.high) - std::min(a.low, by + b.low) <= std::abs(a.step);
}

}  // namespace foretell::static_analysis
