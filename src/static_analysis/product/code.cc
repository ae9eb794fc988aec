// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/code.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

namespace foretell::static_analysis {

Code::Code(const llvm::Function& function) : function_(function) {
  const auto number = [&](const llvm::Value& value) {
    slots_[&value] = slot_count_;
    slot_count_ += llvm::isa<llvm::AtomicCmpXchgInst>(value) ? 2 : 1;
  };
  for (const llvm::Argument& argument : function.args()) number(argument);
  // In reverse postorder, so that every cycle has a jump backwards.
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  for (const llvm::BasicBlock* block : order) {
    starts_[block] = static_cast<uint32_t>(instructions_.size());
    for (const llvm::Instruction& instruction : *block) {
      instructions_.push_back(&instruction);
      if (!instruction.getType()->isVoidTy()) number(instruction);
    }
  }
}

void Code::use(const llvm::Instruction& instruction, llvm::BitVector& live) const {
  if (llvm::isa<llvm::PHINode>(instruction)) return;
  for (const llvm::Use& operand : instruction.operands())
    if (const auto slot = slots_.find(operand.get()); slot != slots_.end()) {
      live.set(slot->second);
      if (llvm::isa<llvm::AtomicCmpXchgInst>(operand.get())) live.set(slot->second + 1);
    }
}

void Code::define(const llvm::Instruction& instruction, llvm::BitVector& live) const {
  if (instruction.getType()->isVoidTy()) return;
  const uint32_t slot = slot_of(instruction);
  live.reset(slot);
  if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) live.reset(slot + 1);
}

void Code::solve_liveness() const {
  for (const auto& [block, start] : starts_) live_out_[block].resize(slot_count_);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = instructions_.rbegin(); at != instructions_.rend();) {
      const llvm::BasicBlock* block = (*at)->getParent();
      llvm::BitVector live = live_out_[block];
      for (; at != instructions_.rend() && (*at)->getParent() == block; ++at) {
        define(**at, live);
        use(**at, live);
      }
      for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
        if (!starts_.contains(before)) continue;
        llvm::BitVector in = live;
        for (const llvm::PHINode& phi : block->phis())
          if (const auto slot = slots_.find(phi.getIncomingValueForBlock(before));
              slot != slots_.end())
            in.set(slot->second);
        llvm::BitVector& out = live_out_[before];
        in |= out;
        if (in == out) continue;
        out = std::move(in);
        changed = true;
      }
    }
  }
}

const llvm::BitVector& Code::live_at(uint32_t at) const {
  if (const auto known = live_at_.find(at); known != live_at_.end()) return known->second;
  if (live_out_.empty()) solve_liveness();
  const llvm::BasicBlock* block = instructions_[at]->getParent();
  llvm::BitVector live = live_out_[block];
  const uint32_t end = starts_.lookup(block) + static_cast<uint32_t>(block->size());
  for (uint32_t i = end; i-- > at;) {
    define(*instructions_[i], live);
    use(*instructions_[i], live);
  }
  return live_at_.emplace(at, std::move(live)).first->second;
}

}  // namespace foretell::static_analysis
