// SPDX-License-Identifier: Apache-2.0

#include "bitcode/dependence.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "bitcode/whole_program.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;
using recording::SiteRole;

namespace {

// The variable an address lies in, through offsets.
const llvm::Value* base_of(const llvm::Value& address) {
  const llvm::Value* base = &address;
  for (;;) {
    if (const auto* offset = dyn_cast<llvm::GEPOperator>(base))
      base = offset->getPointerOperand();
    else if (const auto* cast = dyn_cast<llvm::BitCastOperator>(base))
      base = cast->getOperand(0);
    else
      return base;
  }
}

// The pass leaves out a read that repeats one before it in the block, with nothing but reads
// between: that one stands for it.
std::optional<program::SiteIndex> twin_of(const llvm::LoadInst& load) {
  for (const llvm::Instruction* before = load.getPrevNode(); before;
       before = before->getPrevNode()) {
    if (before->mayWriteToMemory()) return {};
    const auto* other = dyn_cast<llvm::LoadInst>(before);
    if (!other || other->getPointerOperand() != load.getPointerOperand() ||
        other->getType()->getPrimitiveSizeInBits() != load.getType()->getPrimitiveSizeInBits())
      continue;
    if (const auto site = site_of(*other, SiteRole::access)) return site;
  }
  return {};
}

}  // namespace

void Sources::add(const Sources& other) {
  loads.insert(other.loads.begin(), other.loads.end());
  parameters.insert(other.parameters.begin(), other.parameters.end());
  results.insert(other.results.begin(), other.results.end());
  branches.insert(other.branches.begin(), other.branches.end());
  has_untracked |= other.has_untracked;
}

Sources Dependence::of(const llvm::Value& value) {
  Sources sources;
  seen_.clear();
  slots_.clear();
  left_ = {&value};
  while (!left_.empty()) {
    const llvm::Value* next = left_.back();
    left_.pop_back();
    if (seen_.insert(next).second) visit(*next, sources);
  }
  return sources;
}

void Dependence::control(uint32_t stretch, Sources& sources) {
  const auto& controllers = flow_.controllers(stretch);
  sources.branches.insert(controllers.begin(), controllers.end());
}

void Dependence::visit(const llvm::Value& value, Sources& sources) {
  if (const auto* parameter = dyn_cast<llvm::Argument>(&value)) {
    sources.parameters.insert(parameter->getArgNo());
    return;
  }
  const auto* instruction = dyn_cast<llvm::Instruction>(&value);
  if (!instruction || isa<llvm::AllocaInst>(instruction)) return;
  if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) return visit_load(*load, sources);
  if (const auto* call = dyn_cast<llvm::CallBase>(instruction);
      call && !isa<llvm::IntrinsicInst>(call)) {
    if (const auto site = site_of(*call, SiteRole::call))
      sources.results.insert(*site);
    else
      sources.has_untracked = true;
    return;
  }
  if (isa<llvm::LandingPadInst>(instruction) || isa<llvm::VAArgInst>(instruction)) {
    sources.has_untracked = true;
    return;
  }
  if (instruction->mayReadFromMemory()) {
    if (const auto site = site_of(*instruction, SiteRole::access))
      sources.loads.insert(*site);
    else
      sources.has_untracked = true;
    return;
  }
  if (const auto* phi = dyn_cast<llvm::PHINode>(instruction))
    for (const llvm::BasicBlock* from : phi->blocks())
      control(flow_.of_edge(*from, *phi->getParent()), sources);
  for (const llvm::Use& operand : instruction->operands())
    if (!isa<llvm::BasicBlock>(operand)) left_.push_back(operand);
}

void Dependence::visit_load(const llvm::LoadInst& load, Sources& sources) {
  if (const auto site = site_of(load, SiteRole::access)) {
    sources.loads.insert(*site);
    return;
  }
  const llvm::Value* base = base_of(*load.getPointerOperand());
  if (const auto* slot = dyn_cast<llvm::AllocaInst>(base)) {
    // Which element it is.
    left_.push_back(load.getPointerOperand());
    return visit_slot(*slot, sources);
  }
  const auto* global = dyn_cast<llvm::GlobalVariable>(base);
  if (global && global->isConstant()) {
    left_.push_back(load.getPointerOperand());
  } else if (const auto twin = twin_of(load)) {
    sources.loads.insert(*twin);
  } else {
    sources.has_untracked = true;
  }
}

// All that is ever stored in it, and the branches that decide whether.
void Dependence::visit_slot(const llvm::AllocaInst& slot, Sources& sources) {
  if (!slots_.insert(&slot).second) return;
  std::vector<const llvm::Value*> addresses = {&slot};
  for (size_t i = 0; i < addresses.size(); i++) {
    for (const llvm::User* user : addresses[i]->users()) {
      const auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (isa<llvm::GetElementPtrInst>(instruction) || isa<llvm::CastInst>(instruction)) {
        addresses.push_back(instruction);
      } else if (isa<llvm::LoadInst>(instruction)) {
        continue;
      } else if (const auto* store = dyn_cast<llvm::StoreInst>(instruction)) {
        control(flow_.of(*store), sources);
        left_.push_back(store->getValueOperand());
        left_.push_back(store->getPointerOperand());
        if (store->getValueOperand() == addresses[i]) sources.has_untracked = true;
      } else if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(instruction)) {
        if (copy->getRawDest() != addresses[i]) continue;
        control(flow_.of(*copy), sources);
        left_.push_back(copy->getLength());
        const auto* from = dyn_cast<llvm::AllocaInst>(base_of(*copy->getRawSource()));
        if (const auto site = site_of(*copy, SiteRole::copy_source))
          sources.loads.insert(*site);
        else if (from)
          visit_slot(*from, sources);
        else
          sources.has_untracked = true;
      } else if (const auto* set = dyn_cast<llvm::AnyMemSetInst>(instruction)) {
        control(flow_.of(*set), sources);
        left_.push_back(set->getValue());
        left_.push_back(set->getLength());
      } else if (!isa<llvm::LifetimeIntrinsic>(instruction)) {
        sources.has_untracked = true;
      }
    }
  }
}

}  // namespace foretell::bitcode
