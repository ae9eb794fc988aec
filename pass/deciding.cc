// SPDX-License-Identifier: Apache-2.0

#include "deciding.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>

#include "selection.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// The optimizer copies pointers as integers, and then only what it knows of aliases tells.
bool is_of_pointer(const llvm::Instruction& access, const llvm::Type& type) {
  if (type.isPointerTy()) return true;
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (!tag || tag->getNumOperands() < 2) return false;
  const auto* accessed = dyn_cast_or_null<llvm::MDNode>(tag->getOperand(1).get());
  if (!accessed || accessed->getNumOperands() == 0) return false;
  const auto* name = dyn_cast_or_null<llvm::MDString>(accessed->getOperand(0).get());
  return name && name->getString() == "any pointer";
}

class Deciding {
 public:
  explicit Deciding(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) start_at(instruction);
    while (!left_.empty()) follow(*left_.pop_back_val());
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* store = dyn_cast<llvm::StoreInst>(&instruction);
          store && (pointers_.contains(store->getPointerOperand()) || hands_on(*store)))
        found_.insert(store);
  }
  llvm::SmallPtrSet<const llvm::Instruction*, 16> take() { return std::move(found_); }

 private:
  void add(llvm::Value* value) {
    auto* instruction = dyn_cast<llvm::Instruction>(value);
    if (instruction && seen_.insert(instruction).second) left_.push_back(instruction);
  }
  void add_operands(llvm::Instruction& instruction) {
    for (llvm::Value* operand : instruction.operands()) add(operand);
  }

  // A value that decides what the instruction does; not one that it only computes with or stores.
  void start_at(llvm::Instruction& instruction) {
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      add(load->getPointerOperand());
      // What is copied from a queue and followed elsewhere.
      if (is_of_pointer(*load, *load->getType())) add(load);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      add(store->getPointerOperand());
    } else if (computes(instruction)) {
      if (instruction.isIntDivRem()) add(instruction.getOperand(1));
    } else {
      add_operands(instruction);
    }
  }

  // A pointer that somebody may take from there and follow.
  static bool hands_on(const llvm::StoreInst& store) {
    const llvm::Value* value = store.getValueOperand();
    return !isa<llvm::Constant>(value) && is_of_pointer(store, *value->getType());
  }

  static bool computes(const llvm::Instruction& instruction) {
    if (const auto* call = dyn_cast<llvm::IntrinsicInst>(&instruction))
      return call->isAssumeLikeIntrinsic() || call->doesNotAccessMemory();
    return !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() &&
           !isa<llvm::CallBase>(instruction) && !isa<llvm::AllocaInst>(instruction);
  }

  // The value of the instruction decides.
  void follow(llvm::Instruction& instruction) {
    auto* load = dyn_cast<llvm::LoadInst>(&instruction);
    if (!load) return add_operands(instruction);
    found_.insert(load);
    pointers_.insert(load->getPointerOperand());
    auto* slot = dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
    if (slot && slots_.insert(slot).second && is_private(*slot)) add_stored(*slot);
  }

  void add_stored(llvm::Value& pointer) {
    for (llvm::User* user : pointer.users()) {
      if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
        add(store->getValueOperand());
      } else if (isa<llvm::GetElementPtrInst>(user) || isa<llvm::BitCastInst>(user)) {
        add_stored(*user);
      }
    }
  }

  llvm::SmallPtrSet<const llvm::Instruction*, 16> found_;
  llvm::SmallPtrSet<const llvm::Value*, 16> pointers_;  // that deciding loads read
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen_;
  llvm::SmallPtrSet<const llvm::AllocaInst*, 8> slots_;
  llvm::SmallVector<llvm::Instruction*, 32> left_;
};

}  // namespace

llvm::SmallPtrSet<const llvm::Instruction*, 16> deciding_accesses(llvm::Function& function) {
  return Deciding(function).take();
}

}  // namespace foretell::pass
