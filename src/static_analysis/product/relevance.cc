// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/relevance.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "static_analysis/sync/operations.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

bool leads_nowhere(const llvm::BasicBlock* block) {
  for (int steps = 0; block && steps < 8; steps++, block = block->getSingleSuccessor())
    if (llvm::isa<llvm::UnreachableInst>(block->getTerminator())) return true;
  return false;
}

bool is_check(const llvm::Instruction& branch) {
  for (unsigned i = 0; i < branch.getNumSuccessors(); i++)
    if (leads_nowhere(branch.getSuccessor(i))) return true;
  return false;
}

const llvm::Value* written_pointer(const llvm::Instruction& instruction) {
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction))
    return store->getPointerOperand();
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update->getPointerOperand();
  if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return swap->getPointerOperand();
  return nullptr;
}

}  // namespace

Relevance::Relevance(const Threads& threads, const bitcode::PointsTo& points_to, bool checks)
    : points_to_(points_to) {
  llvm::DenseSet<const llvm::Function*> seen;
  for (const AbstractThread& thread : threads.all())
    for (const llvm::Function* function : thread.functions)
      if (seen.insert(function).second)
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
          add_seeds(instruction, checks);
          if (written_pointer(instruction)) writes_.push_back(&instruction);
        }
  for (size_t before = ~size_t{0}; before != values_.size();) {
    before = values_.size();
    while (!left_.empty()) {
      const llvm::Value* value = left_.back();
      left_.pop_back();
      add_operands(*value);
    }
    add_written();
  }
}

void Relevance::add(const llvm::Value* value) {
  if (llvm::isa<llvm::Instruction, llvm::Argument>(value) && values_.insert(value).second)
    left_.push_back(value);
}

void Relevance::add_seeds(const llvm::Instruction& instruction, bool checks) {
  if (const auto* branch = dyn_cast<llvm::BranchInst>(&instruction)) {
    if (branch->isConditional() && (checks || !is_check(*branch))) add(branch->getCondition());
  } else if (const auto* choice = dyn_cast<llvm::SwitchInst>(&instruction)) {
    add(choice->getCondition());
  } else if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
    add(pointer);
  } else if (const llvm::Value* written = written_pointer(instruction)) {
    add(written);
  } else if (llvm::isa<llvm::ReturnInst>(instruction)) {
    for (const llvm::Use& operand : instruction.operands()) add(operand.get());
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee && callee->isDeclaration() && !is_synchronization(*call) &&
        !llvm::isa<llvm::MemIntrinsic>(call))
      return;
    for (const llvm::Use& operand : call->operands()) add(operand.get());
  }
}

void Relevance::add_operands(const llvm::Value& value) {
  const auto* instruction = dyn_cast<llvm::Instruction>(&value);
  if (!instruction) return;
  for (const llvm::Use& operand : instruction->operands()) add(operand.get());
  if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(instruction))
    add_sites(*pointer);
  else if (const llvm::Value* written = written_pointer(*instruction))
    add_sites(*written);
}

void Relevance::add_sites(const llvm::Value& pointer) {
  points_to_.targets_of(pointer).for_each([&](uint32_t id) {
    const auto object = points_to_.solution().targets()[bitcode::TargetId{id}].object;
    if (object == bitcode::kUnknownObject) all_ = true;
    if (const llvm::Value* site = points_to_[object].value) sites_.insert(site);
  });
}

void Relevance::add_written() {
  for (const llvm::Instruction* write : writes_) {
    bool meets = all_;
    points_to_.targets_of(*written_pointer(*write)).for_each([&](uint32_t id) {
      const auto object = points_to_.solution().targets()[bitcode::TargetId{id}].object;
      meets |= object == bitcode::kUnknownObject || sites_.contains(points_to_[object].value);
    });
    if (!meets) continue;
    if (llvm::isa<llvm::StoreInst>(write))
      add(write->getOperand(0));
    else
      add(write);
  }
}

}  // namespace foretell::static_analysis
