// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/wrappers.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;

// Whether a call only looks at or fills what the argument points to.
bool Wrappers::keeps_no_pointer(const llvm::CallBase& call) const {
  if (isa<llvm::AnyMemIntrinsic>(call)) return true;
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return false;
  if (callee->isIntrinsic()) return call.getType()->isVoidTy();
  if (!callee->isDeclaration()) return false;
  const Effect effect = externals_.of(callee->getName()).effect;
  return effect == Effect::touches || effect == Effect::frees;
}

// Whether nobody but the function itself and its caller learns the address.
bool Wrappers::stays(const llvm::CallBase& allocation) const {
  llvm::SetVector<const llvm::Value*> copies;
  copies.insert(&allocation);
  for (size_t i = 0; i < copies.size(); i++) {
    for (const llvm::Use& use : copies[i]->uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (isa<llvm::PHINode>(user) || isa<llvm::SelectInst>(user) ||
          isa<llvm::GetElementPtrInst>(user) || isa<llvm::BitCastInst>(user) ||
          isa<llvm::FreezeInst>(user)) {
        copies.insert(user);
      } else if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (use.get() == store->getValueOperand()) return false;
      } else if (const auto* call = dyn_cast<llvm::CallBase>(user)) {
        if (!keeps_no_pointer(*call)) return false;
      } else if (!isa<llvm::LoadInst>(user) && !isa<llvm::ICmpInst>(user) &&
                 !isa<llvm::ReturnInst>(user)) {
        return false;
      }
    }
  }
  return true;
}

Wrappers::Wrappers(const llvm::Module& module, const Externals& externals) : externals_(externals) {
  for (int depth = 0; depth < kMaxDepth; depth++) {
    // Those of this depth are not yet known to each other: recursion is no wrapper.
    std::vector<std::pair<const llvm::Function*, std::vector<const llvm::CallBase*>>> found;
    for (const llvm::Function& function : module) {
      if (function.isDeclaration() || !function.getReturnType()->isPointerTy() ||
          wrappers_.contains(&function))
        continue;
      auto allocations = returned_allocations(function);
      if (!allocations.empty()) found.emplace_back(&function, std::move(allocations));
    }
    if (found.empty()) return;
    for (auto& [function, allocations] : found) wrappers_[function] = std::move(allocations);
  }
}

const std::vector<const llvm::CallBase*>& Wrappers::allocations_of(
    const llvm::Function& function) const {
  static const std::vector<const llvm::CallBase*> none;
  const auto found = wrappers_.find(&function);
  return found == wrappers_.end() ? none : found->second;
}

bool Wrappers::allocates(const llvm::CallBase& call) const {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || call.arg_size() != callee->arg_size()) return false;
  if (callee->isDeclaration()) return externals_.of(callee->getName()).effect == Effect::allocates;
  return wrappers_.contains(callee);
}

std::vector<const llvm::CallBase*> Wrappers::returned_allocations(
    const llvm::Function& function) const {
  llvm::SetVector<const llvm::Value*> values;
  for (const llvm::BasicBlock& block : function)
    if (const auto* end = dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      values.insert(end->getReturnValue());
  std::vector<const llvm::CallBase*> allocations;
  for (size_t i = 0; i < values.size(); i++) {
    const llvm::Value* value = values[i];
    if (isa<llvm::ConstantPointerNull>(value) || isa<llvm::UndefValue>(value)) continue;
    if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
      for (const llvm::Use& operand : phi->incoming_values()) values.insert(operand.get());
    } else if (const auto* choice = dyn_cast<llvm::SelectInst>(value)) {
      values.insert(choice->getTrueValue());
      values.insert(choice->getFalseValue());
    } else if (const auto* call = dyn_cast<llvm::CallBase>(value);
               call && allocates(*call) && stays(*call)) {
      allocations.push_back(call);
    } else {
      return {};
    }
  }
  return allocations;
}

}  // namespace foretell::bitcode
