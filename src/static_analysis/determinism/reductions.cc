// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/reductions.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

std::optional<ReductionOperator> operator_of(const llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return ReductionOperator::sum;
    case llvm::Instruction::Mul:
      return ReductionOperator::product;
    case llvm::Instruction::And:
      return ReductionOperator::bits_and;
    case llvm::Instruction::Or:
      return ReductionOperator::bits_or;
    case llvm::Instruction::Xor:
      return ReductionOperator::bits_xor;
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
      return ReductionOperator::rounded_sum;
    case llvm::Instruction::FMul:
      return ReductionOperator::rounded_product;
    default:
      return {};
  }
}

std::optional<ReductionOperator> operator_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return ReductionOperator::sum;
    case llvm::AtomicRMWInst::And:
      return ReductionOperator::bits_and;
    case llvm::AtomicRMWInst::Or:
      return ReductionOperator::bits_or;
    case llvm::AtomicRMWInst::Xor:
      return ReductionOperator::bits_xor;
    case llvm::AtomicRMWInst::Max:
      return ReductionOperator::signed_max;
    case llvm::AtomicRMWInst::Min:
      return ReductionOperator::signed_min;
    case llvm::AtomicRMWInst::UMax:
      return ReductionOperator::unsigned_max;
    case llvm::AtomicRMWInst::UMin:
      return ReductionOperator::unsigned_min;
    case llvm::AtomicRMWInst::FAdd:
    case llvm::AtomicRMWInst::FSub:
      return ReductionOperator::rounded_sum;
    default:
      return {};
  }
}

// The same computation of the address, from registers that did not change in between.
bool is_same_address(const llvm::LoadInst& load, const llvm::StoreInst& store) {
  return address_of(*load.getPointerOperand(), load.getDataLayout()) ==
         address_of(*store.getPointerOperand(), store.getDataLayout());
}

// Locks held at the load are held until the store, and no other access of ours comes between.
bool is_straight(const llvm::LoadInst& load, const llvm::StoreInst& store) {
  if (load.getParent() != store.getParent()) return false;
  for (const llvm::Instruction* at = load.getNextNode(); at != &store; at = at->getNextNode()) {
    if (!at) return false;  // the store comes first
    if (llvm::isa<llvm::StoreInst>(at) || at->isAtomic()) return false;
    if (const auto* call = dyn_cast<llvm::CallBase>(at); call && !call->doesNotAccessMemory())
      return false;
  }
  return true;
}

// Modulo 2^n it makes no difference how wide the sum was computed.
bool keeps_low_bits(ReductionOperator operation) {
  switch (operation) {
    case ReductionOperator::sum:
    case ReductionOperator::product:
    case ReductionOperator::bits_and:
    case ReductionOperator::bits_or:
    case ReductionOperator::bits_xor:
      return true;
    case ReductionOperator::signed_min:
    case ReductionOperator::signed_max:
    case ReductionOperator::unsigned_min:
    case ReductionOperator::unsigned_max:
    case ReductionOperator::rounded_sum:
    case ReductionOperator::rounded_product:
      return false;
  }
  return false;
}

}  // namespace

const char* name_of(ReductionOperator operation) {
  switch (operation) {
    case ReductionOperator::sum:
      return "added to or subtracted from";
    case ReductionOperator::product:
      return "multiplied";
    case ReductionOperator::bits_and:
      return "combined by '&'";
    case ReductionOperator::bits_or:
      return "combined by '|'";
    case ReductionOperator::bits_xor:
      return "combined by '^'";
    case ReductionOperator::signed_min:
    case ReductionOperator::unsigned_min:
      return "lowered to a minimum";
    case ReductionOperator::signed_max:
    case ReductionOperator::unsigned_max:
      return "raised to a maximum";
    case ReductionOperator::rounded_sum:
      return "added to, with rounding";
    case ReductionOperator::rounded_product:
      return "multiplied, with rounding";
  }
  return "";
}

bool is_exact(ReductionOperator operation) {
  return operation != ReductionOperator::rounded_sum &&
         operation != ReductionOperator::rounded_product;
}

Reductions::Reductions(const Threads& threads) {
  std::set<const llvm::Function*> functions;
  for (const AbstractThread& thread : threads.all())
    functions.insert(thread.functions.begin(), thread.functions.end());
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) add(*store);
      if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) add(*update);
    }
}

void Reductions::add(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  if (const auto* cut = dyn_cast<llvm::TruncInst>(value); cut && cut->hasOneUse())
    value = cut->getOperand(0);
  const auto* sum = dyn_cast<llvm::BinaryOperator>(value);
  if (store.isAtomic() || !sum || !sum->hasOneUse()) return;
  const auto operation = operator_of(*sum);
  if (!operation) return;
  for (const unsigned side : {0U, 1U}) {
    const bool is_difference =
        sum->getOpcode() == llvm::Instruction::Sub || sum->getOpcode() == llvm::Instruction::FSub;
    if (side == 1 && is_difference) continue;
    const llvm::Value* old = sum->getOperand(side);
    bool is_widened = value != store.getValueOperand();
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(old) && old->hasOneUse()) {
      is_widened = true;
      old = llvm::cast<llvm::Instruction>(old)->getOperand(0);
    }
    const auto* load = dyn_cast<llvm::LoadInst>(old);
    if (!load || !load->hasOneUse() || load->isAtomic() ||
        load->getType() != store.getValueOperand()->getType() || !is_same_address(*load, store) ||
        !is_straight(*load, store) || (is_widened && !keeps_low_bits(*operation)))
      continue;
    of_[load] = of_[&store] = all_.size();
    all_.push_back({*operation, load, &store, load->getType(), sum->getOperand(1 - side)});
    return;
  }
}

void Reductions::add(const llvm::AtomicRMWInst& update) {
  const auto operation = operator_of(update.getOperation());
  if (!operation || !update.use_empty()) return;
  of_[&update] = all_.size();
  all_.push_back({*operation, &update, &update, update.getType(), update.getValOperand()});
}

const Reduction* Reductions::of(const llvm::Instruction& access) const {
  const auto found = of_.find(&access);
  return found == of_.end() ? nullptr : &all_[found->second];
}

bool Reductions::explains(const Conflict& conflict, const PairRules& rules) const {
  const Access& a = rules.accesses[conflict.first];
  const Access& b = rules.accesses[conflict.second];
  const Reduction* one = of(*a.instruction);
  const Reduction* other = of(*b.instruction);
  if (!one || !other || one->operation != other->operation || one->type != other->type)
    return false;
  // The same bytes, or none.
  for (const bitcode::Target& x : a.targets)
    for (const bitcode::Target& y : b.targets)
      if (x.object == conflict.object && y.object == conflict.object &&
          overlap(Access{.extent = a.extent, .targets = {x}},
                  Access{.extent = b.extent, .targets = {y}}, conflict.object) &&
          (x.offset != y.offset || x.stride != y.stride || (x.stride != 0 && x.stride < *a.extent)))
        return false;
  if (a.is_atomic != b.is_atomic) return false;
  return a.is_atomic || are_locked(a, b, conflict.object, rules);
}

}  // namespace foretell::static_analysis
