// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/indices.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>

namespace foretell::static_analysis {
namespace {

using bitcode::Target;
using llvm::dyn_cast;

constexpr int64_t kMaxDraw = 16;  // at once

// Numbers of 32 bits and more keep their differences in wider ones.
const llvm::Value* without_casts(const llvm::Value* value) {
  while (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value) &&
         llvm::cast<llvm::CastInst>(value)->getSrcTy()->getIntegerBitWidth() >= 32)
    value = llvm::cast<llvm::CastInst>(value)->getOperand(0);
  return value;
}

// value = number + constant.
std::pair<const llvm::Value*, int64_t> split_sum(const llvm::Value* value) {
  int64_t constant = 0;
  for (value = without_casts(value);; value = without_casts(value)) {
    const auto* sum = dyn_cast<llvm::BinaryOperator>(value);
    if (!sum ||
        (sum->getOpcode() != llvm::Instruction::Add && sum->getOpcode() != llvm::Instruction::Sub))
      return {value, constant};
    const auto* amount = dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
    if (!amount) return {value, constant};
    const int64_t more = amount->getSExtValue();
    constant += sum->getOpcode() == llvm::Instruction::Add ? more : -more;
    value = sum->getOperand(0);
  }
}

// The first of the loads of one place with neither a call nor a write between them: under a lock, all
// of them read the same.
const llvm::LoadInst* first_load(const llvm::LoadInst* load) {
  for (const llvm::Instruction* at = load->getPrevNode(); at; at = at->getPrevNode()) {
    if (at->mayWriteToMemory() && !llvm::isa<llvm::LoadInst>(at)) break;
    if (const auto* earlier = dyn_cast<llvm::LoadInst>(at);
        earlier && !earlier->isAtomic() && earlier->getType() == load->getType() &&
        earlier->getPointerOperand() == load->getPointerOperand())
      load = earlier;
  }
  return load;
}

// `load x; ...; x = that + constant` with nothing in between that gives a lock away.
const llvm::LoadInst* counted_load(const llvm::StoreInst& store) {
  const auto [number, amount] = split_sum(store.getValueOperand());
  const auto* load = dyn_cast<llvm::LoadInst>(number);
  if (!load || load->isAtomic()) return nullptr;
  load = first_load(load);
  if (amount <= 0 || amount > kMaxDraw || load->getParent() != store.getParent() ||
      load->getPointerOperand() != store.getPointerOperand() ||
      load->getType() != store.getValueOperand()->getType())
    return nullptr;
  for (const llvm::Instruction* at = load->getNextNode(); at != &store; at = at->getNextNode())
    if (!at || llvm::isa<llvm::CallBase>(at)) return nullptr;
  return load;
}

// The next store is of what was loaded here and a constant.
bool is_first_store(const llvm::LoadInst& load) {
  for (const llvm::Instruction* at = load.getNextNode(); at; at = at->getNextNode()) {
    if (const auto* store = dyn_cast<llvm::StoreInst>(at))
      if (store->getPointerOperand() == load.getPointerOperand())
        return counted_load(*store) == first_load(&load);
    if (llvm::isa<llvm::CallBase>(at)) return false;
  }
  return false;
}

// Behind the test of a loop, the counter has not got to the value it leaves the loop with.
llvm::ConstantRange range_in_loop(const llvm::SCEV* value, const llvm::Instruction& at,
                                  LoopAnalyses& analyses) {
  llvm::ScalarEvolution& evolution = analyses.evolution;
  const llvm::ConstantRange plain = evolution.getSignedRange(value);
  const llvm::SCEV* counter = value;
  while (const auto* cast = dyn_cast<llvm::SCEVSignExtendExpr>(counter))
    counter = cast->getOperand();
  const auto* recurrence = dyn_cast<llvm::SCEVAddRecExpr>(counter);
  if (!recurrence || !recurrence->isAffine() || !recurrence->hasNoSignedWrap()) return plain;
  const llvm::Loop* loop = recurrence->getLoop();
  const llvm::BasicBlock* test = loop->getExitingBlock();
  const auto* first = dyn_cast<llvm::SCEVConstant>(recurrence->getStart());
  const auto* step = dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution));
  if (!test || !first || !step || test == at.getParent() || !loop->contains(at.getParent()) ||
      !analyses.dominators.dominates(test, at.getParent()))
    return plain;
  const auto* rounds =
      dyn_cast<llvm::SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(loop));
  if (!rounds || rounds->getAPInt().isZero() || rounds->getAPInt().getActiveBits() > 30)
    return plain;
  const unsigned width = plain.getBitWidth();
  const auto count = static_cast<int64_t>(rounds->getAPInt().getZExtValue()) - 1;
  const int64_t begin = first->getAPInt().getSExtValue();
  const int64_t last = begin + count * step->getAPInt().getSExtValue();
  constexpr int64_t kLimit = int64_t{1} << 31;
  if (std::abs(begin) >= kLimit || std::abs(last) >= kLimit || width < 32) return plain;
  const auto number = [&](int64_t one) {
    return llvm::APInt(width, static_cast<uint64_t>(one), /*isSigned=*/true);
  };
  return plain.intersectWith(llvm::ConstantRange::getNonEmpty(number(std::min(begin, last)),
                                                              number(std::max(begin, last)) + 1),
                             llvm::ConstantRange::Signed);
}

}  // namespace

std::optional<Indices::Range> Indices::range_of(const Access& access) const {
  if (!access.pointer || !access.extent) return {};
  const auto [known, added] = ranges_.try_emplace(access.instruction);
  if (!added) return known->second;
  const auto* pointer = access.pointer;
  const Address address = address_of(*pointer, access.instruction->getDataLayout());
  if (address.terms.size() != 1) return {};
  const auto base = rules_.objects.single_target(*address.base);
  const int64_t factor = address.terms.front().second;
  if (!base || factor <= 0) return {};
  LoopAnalyses& analyses = analyses_.of(*access.instruction->getFunction());
  llvm::ScalarEvolution& evolution = analyses.evolution;
  auto& index = const_cast<llvm::Value&>(*address.terms.front().first);
  if (!evolution.isSCEVable(index.getType()) || evolution.getTypeSizeInBits(index.getType()) > 64)
    return {};
  const llvm::SCEV* value = evolution.getSCEV(&index);
  const llvm::ConstantRange range = range_in_loop(value, *access.instruction, analyses);
  constexpr int64_t kLimit = int64_t{1} << 31;
  const int64_t low = range.getSignedMin().getSExtValue();
  const int64_t high = range.getSignedMax().getSExtValue();
  Range found{.object = base->object};
  const int64_t start = base->offset + address.constant;
  if (low > -kLimit && high < kLimit && factor < kLimit) {
    found.first = start + low * factor;
    found.end = start + high * factor + static_cast<int64_t>(*access.extent);
  } else {
    found.first = std::numeric_limits<int64_t>::min();
    found.end = std::numeric_limits<int64_t>::max();
  }
  while (const auto* cast = dyn_cast<llvm::SCEVIntegralCastExpr>(value)) {
    if (evolution.getTypeSizeInBits(cast->getOperand()->getType()) < 32) return {};
    value = cast->getOperand();
  }
  if (const auto* recurrence = dyn_cast<llvm::SCEVAddRecExpr>(value);
      recurrence && recurrence->isAffine() && recurrence->getType()->getIntegerBitWidth() >= 32) {
    const auto* first = dyn_cast<llvm::SCEVConstant>(recurrence->getStart());
    const auto* step = dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution));
    // What wraps around keeps its place in steps only if they divide the numbers there are.
    const bool stays =
        recurrence->hasNoSignedWrap() || (step && step->getAPInt().abs().isPowerOf2());
    if (first && step && stays && !step->isZero() && step->getAPInt().abs().ult(1 << 20)) {
      found.begin = start + first->getAPInt().getSExtValue() * factor;
      found.step = step->getAPInt().abs().getZExtValue() * static_cast<uint64_t>(factor);
    }
  }
  return known->second = found;
}

std::optional<Indices::Drawn> Indices::drawn_by(const Access& access) const {
  if (!access.pointer || !access.extent) return {};
  const Address address = address_of(*access.pointer, access.instruction->getDataLayout());
  if (address.terms.size() != 1) return {};
  const auto [number, added] = split_sum(address.terms.front().first);
  const int64_t factor = address.terms.front().second;
  Drawn drawn{.factor = factor};
  if (const auto base = rules_.objects.single_target(*address.base)) {
    drawn.object = base->object;
    drawn.from = base->offset;
  } else {
    return {};
  }
  drawn.from += address.constant + added * factor;
  drawn.to = drawn.from + static_cast<int64_t>(*access.extent);
  if (!find_draw(*number, drawn)) return {};
  return drawn;
}

bool Indices::find_draw(const llvm::Value& number, Drawn& drawn) const {
  const llvm::Value* counter = nullptr;
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&number)) {
    counter = update->getPointerOperand();
    drawn.draw = update;
  } else if (const auto* load = dyn_cast<llvm::LoadInst>(&number)) {
    if (load->isAtomic() || !is_first_store(*load)) return false;
    counter = load->getPointerOperand();
    drawn.draw = load;
  } else {
    return false;
  }
  if (!drawn.draw->getType()->isIntegerTy() || drawn.draw->getType()->getIntegerBitWidth() < 32)
    return false;
  const auto target = rules_.objects.single_target(*counter);
  if (!target) return false;
  drawn.counter = *target;
  return true;
}

bool Indices::is_drawn_once(const llvm::Value& number, const Access& at) const {
  const auto [drawn_number, added] = split_sum(&number);
  Drawn drawn;
  return added == 0 && find_draw(*drawn_number, drawn) && is_counter(drawn, at, drawn, at);
}

bool Indices::draws(const llvm::Instruction& write, const Target& counter) const {
  const llvm::Value* pointer = nullptr;
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&write)) {
    const auto* amount = dyn_cast<llvm::ConstantInt>(update->getValOperand());
    if (update->getOperation() != llvm::AtomicRMWInst::Add || !amount ||
        !amount->getValue().isStrictlyPositive() || amount->getValue().ugt(kMaxDraw))
      return false;
    pointer = update->getPointerOperand();
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&write)) {
    if (store->isAtomic() || !counted_load(*store)) return false;
    pointer = store->getPointerOperand();
  }
  const auto target = pointer ? rules_.objects.single_target(*pointer) : std::nullopt;
  return target && target->object == counter.object && target->offset == counter.offset;
}

// Whether what a and b draw are different numbers: the counter only goes up, except where nobody who
// draws or uses a number can be running.
bool Indices::is_counter(const Drawn& a, const Access& at_a, const Drawn& b,
                         const Access& at_b) const {
  const auto accesses = rules_.accesses.by_object().find(a.counter.object);
  if (accesses == rules_.accesses.by_object().end()) return false;
  const auto size = a.draw->getDataLayout().getTypeStoreSize(a.draw->getType()).getFixedValue();
  const Access counter{.extent = size, .targets = {a.counter}};
  // Plain draws exclude each other: all of them, by one lock that is surely held.
  std::optional<LockSet> common;
  for (AccessIndex index : accesses->second) {
    const Access& write = rules_.accesses[index];
    if (!overlap(write, counter, a.counter.object)) continue;
    const bool is_draw = draws(*write.instruction, a.counter);
    if (write.mode == AccessMode::read || (is_draw && write.is_atomic)) continue;
    if (is_draw) {
      const LockSet& held = rules_.locks.at(*write.instruction);
      if (!common) common = held;
      std::erase_if(*common, [&](const HeldLock& one) {
        return one.kind == HeldLock::Kind::address || one.mode != LockMode::exclusive ||
               !held.contains(one);
      });
      continue;
    }
    if (write.thread != kMain || at_a.thread == kMain || at_b.thread == kMain) return false;
    for (const auto& [instruction, thread] :
         {std::pair{a.draw, at_a.thread}, std::pair{at_a.instruction, at_a.thread},
          std::pair{b.draw, at_b.thread}, std::pair{at_b.instruction, at_b.thread}})
      if (rules_.running.in_parallel(*write.instruction, write.thread, *instruction, thread))
        return false;
  }
  const bool is_atomic =
      llvm::isa<llvm::AtomicRMWInst>(a.draw) && llvm::isa<llvm::AtomicRMWInst>(b.draw);
  // Atomic draws and plain ones do not mix.
  if (is_atomic) return !common;
  if (llvm::isa<llvm::AtomicRMWInst>(a.draw) || llvm::isa<llvm::AtomicRMWInst>(b.draw))
    return false;
  for (AccessIndex index : accesses->second) {
    const Access& one = rules_.accesses[index];
    if (one.is_atomic && one.mode != AccessMode::read && overlap(one, counter, a.counter.object))
      return false;
  }
  return common && !common->empty();
}

bool Indices::keep_apart(const Access& a, const Access& b) const {
  const auto one = range_of(a), other = range_of(b);
  if (one && other && one->object == other->object) {
    if (one->end <= other->first || other->end <= one->first) return true;
    if (one->step != 0 && one->step == other->step) {
      const auto step = static_cast<int64_t>(one->step);
      const int64_t distance = ((other->begin - one->begin) % step + step) % step;
      if (distance >= static_cast<int64_t>(*a.extent) &&
          step - distance >= static_cast<int64_t>(*b.extent))
        return true;
    }
  }
  const auto drawn = drawn_by(a), also_drawn = drawn_by(b);
  if (!drawn || !also_drawn || drawn->object != also_drawn->object ||
      drawn->factor != also_drawn->factor || drawn->counter.object != also_drawn->counter.object ||
      drawn->counter.offset != also_drawn->counter.offset)
    return false;
  const int64_t spread =
      std::max(drawn->to, also_drawn->to) - std::min(drawn->from, also_drawn->from);
  return spread <= std::abs(drawn->factor) && is_counter(*drawn, a, *also_drawn, b);
}

}  // namespace foretell::static_analysis
