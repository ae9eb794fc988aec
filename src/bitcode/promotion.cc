// SPDX-License-Identifier: Apache-2.0

#include "bitcode/promotion.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "recording/kept_bitcode.h"

namespace foretell::bitcode {

std::string name_of(const llvm::AllocaInst& slot) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*, 1> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*, 1> records;
  llvm::findDbgUsers(intrinsics, const_cast<llvm::AllocaInst*>(&slot), &records);
  if (!records.empty()) return records.front()->getVariable()->getName().str();
  if (!intrinsics.empty()) return intrinsics.front()->getVariable()->getName().str();
  return "";
}

namespace {

bool is_recorded(const llvm::AllocaInst& slot) {
  for (const llvm::User* user : slot.users())
    if (llvm::cast<llvm::Instruction>(user)->getMetadata(recording::kSiteMetadata)) return true;
  return false;
}

}  // namespace

std::vector<PromotedSlot> promote_slots(llvm::Module& module) {
  std::vector<PromotedSlot> promoted;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    std::vector<llvm::AllocaInst*> slots;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!slot || !llvm::isAllocaPromotable(slot) || is_recorded(*slot)) continue;
      slots.push_back(slot);
      promoted.push_back({&function, name_of(*slot)});
    }
    if (slots.empty()) continue;
    llvm::DominatorTree dominators(function);
    llvm::PromoteMemToReg(slots, dominators);
  }
  return promoted;
}

}  // namespace foretell::bitcode
