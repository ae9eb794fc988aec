// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/slots.h"

#include <algorithm>
#include <map>
#include <vector>

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SCCPSolver.h>

#include "static_analysis/preparation/prepare.h"

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

std::string name_of_type(const llvm::Type& type) {
  std::string name;
  llvm::raw_string_ostream out(name);
  type.print(out);
  return name;
}

llvm::Value* any_value(llvm::Module& module, llvm::Type* type, llvm::BasicBlock::iterator before) {
  auto* signature = llvm::FunctionType::get(type, false);
  auto callee = module.getOrInsertFunction(kAnyValue + name_of_type(*type), signature);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return llvm::CallInst::Create(callee, "any", before);
}

// Nothing but whole loads and stores, whose volatile marks are ours.
bool is_register(const llvm::AllocaInst& slot) {
  if (slot.isArrayAllocation() || !slot.getAllocatedType()->isSingleValueType()) return false;
  for (const llvm::User* user : slot.users()) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(user)) {
      if (load->getType() != slot.getAllocatedType() || load->isAtomic()) return false;
    } else if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() == &slot || store->isAtomic() ||
          store->getValueOperand()->getType() != slot.getAllocatedType())
        return false;
    } else {
      const auto* marker = dyn_cast<llvm::IntrinsicInst>(user);
      if (!marker || !marker->isLifetimeStartOrEnd()) return false;
    }
  }
  return true;
}

void initialize(llvm::AllocaInst& slot) {
  llvm::Module& module = *slot.getModule();
  const auto store_any = [&](llvm::Instruction& after) {
    const auto place = std::next(after.getIterator());
    new llvm::StoreInst(any_value(module, slot.getAllocatedType(), place), &slot, place);
  };
  std::vector<llvm::Instruction*> starts = {&slot};
  for (llvm::User* user : slot.users()) {
    if (auto* load = dyn_cast<llvm::LoadInst>(user)) load->setVolatile(false);
    if (auto* store = dyn_cast<llvm::StoreInst>(user)) store->setVolatile(false);
    if (auto* marker = dyn_cast<llvm::IntrinsicInst>(user);
        marker && marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      starts.push_back(marker);
  }
  for (llvm::Instruction* start : starts) store_any(*start);
}

}  // namespace

void promote_all_slots(llvm::Function& function) {
  for (;;) {
    std::vector<llvm::AllocaInst*> slots;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* slot = dyn_cast<llvm::AllocaInst>(&instruction); slot && is_register(*slot))
        slots.push_back(slot);
    for (llvm::AllocaInst* slot : slots) initialize(*slot);
    if (slots.empty()) return;
    llvm::removeUnreachableBlocks(function);
    llvm::DominatorTree dominators(function);
    std::erase_if(slots, [](llvm::AllocaInst* slot) { return !llvm::isAllocaPromotable(slot); });
    if (slots.empty()) return;
    llvm::PromoteMemToReg(slots, dominators);
  }
}

void fold_registers(llvm::Function& function) {
  llvm::removeUnreachableBlocks(function);
  const llvm::DataLayout& layout = function.getDataLayout();
  const llvm::TargetLibraryInfoImpl known(llvm::Triple(function.getParent()->getTargetTriple()));
  const llvm::TargetLibraryInfo library(known);
  for (bool changed = true; changed;) {
    changed = false;
    // What is left to simplify after one constant is usually below it.
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (llvm::isInstructionTriviallyDead(&instruction)) {
          instruction.eraseFromParent();
          changed = true;
          continue;
        }
        if (instruction.use_empty() || instruction.mayReadOrWriteMemory()) continue;
        llvm::Value* simple = llvm::simplifyInstruction(&instruction, {layout, &library});
        if (!simple || simple == &instruction || llvm::isa<llvm::UndefValue>(simple)) continue;
        instruction.replaceAllUsesWith(simple);
        changed = true;
      }
      changed |= llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    }
    if (changed) llvm::removeUnreachableBlocks(function);
  }
}

void share_expressions(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  std::map<std::vector<const void*>, std::vector<llvm::Instruction*>> known;
  for (llvm::BasicBlock* block : llvm::depth_first(&function.getEntryBlock()))
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      if (!llvm::isa<llvm::CastInst, llvm::BinaryOperator, llvm::GetElementPtrInst, llvm::CmpInst>(
              instruction))
        continue;
      std::vector<const void*> key = {
          reinterpret_cast<const void*>(uintptr_t{instruction.getOpcode()}), instruction.getType()};
      if (const auto* address = dyn_cast<llvm::GetElementPtrInst>(&instruction))
        key.push_back(address->getSourceElementType());
      if (const auto* compare = dyn_cast<llvm::CmpInst>(&instruction))
        key.push_back(reinterpret_cast<const void*>(uintptr_t{compare->getPredicate()}));
      for (const llvm::Use& operand : instruction.operands()) key.push_back(operand.get());
      auto& same = known[key];
      const auto before = std::ranges::find_if(
          same, [&](llvm::Instruction* one) { return dominators.dominates(one, &instruction); });
      if (before == same.end()) {
        same.push_back(&instruction);
        continue;
      }
      (*before)->andIRFlags(&instruction);
      instruction.replaceAllUsesWith(*before);
      instruction.eraseFromParent();
    }
}

}  // namespace foretell::static_analysis
