// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/ownership.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <deque>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

struct Ownership::Loops {
  explicit Loops(llvm::Function& function)
      : known(llvm::Triple(function.getParent()->getTargetTriple())),
        library(known),
        assumptions(function),
        dominators(function),
        loops(dominators),
        evolution(function, library, assumptions, dominators, loops) {}
  llvm::TargetLibraryInfoImpl known;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::ScalarEvolution evolution;
};

struct Ownership::Argument {
  const llvm::Value* parameter = nullptr;
  const llvm::Loop* loop = nullptr;
  bool is_new_memory = false;
  int64_t step = 0;  // otherwise; 0 if nothing is known
  Address address;   // what the starter passes
};

// base + step * instance + [from, to).
struct Ownership::Slot {
  const llvm::Value* base = nullptr;  // of an array, by its object; none: the argument itself
  bitcode::ObjectId object{};
  bool apart = false;  // instances have different objects
  int64_t step = 0, from = 0, to = 0;
};

Ownership::Ownership(const PairRules& rules) : rules_(rules) {}
Ownership::~Ownership() = default;

Ownership::Loops& Ownership::loops_of(const llvm::Function& function) const {
  auto& loops = loops_[&function];
  if (!loops) loops = std::make_unique<Loops>(const_cast<llvm::Function&>(function));
  return *loops;
}

namespace {

bool is_allocation(const llvm::Value& value, const bitcode::PointsTo& points_to) {
  const auto* call = dyn_cast<llvm::CallBase>(&value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && points_to.externals().of(callee->getName()).effect == bitcode::Effect::allocates;
}

// Instructions that make a pointer known to others.
std::vector<const llvm::Instruction*> publications(const llvm::Instruction& made) {
  std::vector<const llvm::Instruction*> found;
  std::vector<const llvm::Value*> left = {&made};
  std::set<const llvm::Value*> seen;
  while (!left.empty()) {
    const llvm::Value* value = left.back();
    left.pop_back();
    if (!seen.insert(value).second) continue;
    for (const llvm::User* user : value->users()) {
      const auto* instruction = dyn_cast<llvm::Instruction>(user);
      if (!instruction) continue;
      if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst>(
              instruction)) {
        left.push_back(instruction);
      } else if (llvm::isa<llvm::LoadInst, llvm::CmpInst, llvm::MemIntrinsic>(instruction)) {
      } else if (const auto* store = dyn_cast<llvm::StoreInst>(instruction)) {
        if (store->getValueOperand() == value) found.push_back(store);
      } else if (const auto* call = dyn_cast<llvm::CallBase>(instruction)) {
        if (lock_operation(*call)) continue;
        const llvm::Function* callee = call->getCalledFunction();
        if (callee && (callee->getName() == "pthread_mutex_init" || callee->getName() == "free" ||
                       callee->getName().starts_with("llvm.lifetime")))
          continue;
        found.push_back(call);
      } else {
        found.push_back(instruction);
      }
    }
  }
  return found;
}

// Whether control can go from behind `from` to `to` without executing `without`.
bool reaches(const llvm::Instruction& from, const llvm::Instruction& to,
             const llvm::Instruction& without) {
  std::set<const llvm::BasicBlock*> seen;
  std::deque<const llvm::Instruction*> left;
  const auto enter_successors = [&](const llvm::BasicBlock& block) {
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      if (seen.insert(next).second) left.push_back(&next->front());
  };
  if (const llvm::Instruction* next = from.getNextNode())
    left.push_back(next);
  else
    enter_successors(*from.getParent());
  while (!left.empty()) {
    const llvm::Instruction* at = left.front();
    left.pop_front();
    while (at != &to && at != &without && at->getNextNode()) at = at->getNextNode();
    if (at == &to) return true;
    if (at != &without) enter_successors(*at->getParent());
  }
  return false;
}

// An integer or pointer without the casts and constants around it.
const llvm::Value* core_of(const llvm::Value* value) {
  for (;;) {
    // Numbers of 32 bits and more do not come again: that many threads there are not.
    const bool is_wide =
        !llvm::isa<llvm::TruncInst>(value) || value->getType()->getScalarSizeInBits() >= 32;
    if (is_wide && llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::PtrToIntInst,
                             llvm::IntToPtrInst>(value)) {
      value = llvm::cast<llvm::Instruction>(value)->getOperand(0);
      continue;
    }
    const auto* sum = dyn_cast<llvm::BinaryOperator>(value);
    if (sum &&
        (sum->getOpcode() == llvm::Instruction::Add ||
         sum->getOpcode() == llvm::Instruction::Sub) &&
        llvm::isa<llvm::ConstantInt>(sum->getOperand(1))) {
      value = sum->getOperand(0);
      continue;
    }
    return value;
  }
}

// How much is added on the way from the core to the number.
int64_t added_to_core(const llvm::Value* value) {
  int64_t added = 0;
  for (const llvm::Value* core = core_of(value); value != core;) {
    const auto* instruction = llvm::cast<llvm::Instruction>(value);
    if (const auto* sum = dyn_cast<llvm::BinaryOperator>(instruction)) {
      const int64_t amount = llvm::cast<llvm::ConstantInt>(sum->getOperand(1))->getSExtValue();
      added += sum->getOpcode() == llvm::Instruction::Add ? amount : -amount;
    }
    value = instruction->getOperand(0);
  }
  return added;
}

std::optional<int64_t> constant_step(const llvm::SCEV* value, const llvm::Loop* loop,
                                     llvm::ScalarEvolution& evolution) {
  // Numbers of 32 bits and more do not come again: that many threads there are not.
  const auto is_narrow = [&](const llvm::SCEV* one) {
    return evolution.getTypeSizeInBits(one->getType()) < 32;
  };
  while (const auto* cast = dyn_cast<llvm::SCEVCastExpr>(value)) {
    if (is_narrow(value)) return {};
    value = cast->getOperand();
  }
  if (is_narrow(value)) return {};
  const auto* recurrence = dyn_cast<llvm::SCEVAddRecExpr>(value);
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine()) return {};
  const auto* step = dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution));
  if (!step || step->isZero()) return {};
  return step->getAPInt().getSExtValue();
}

}  // namespace

bool Ownership::is_unpublished(const Access& access) const {
  if (!access.pointer) return false;
  const auto [known, added] = unpublished_.try_emplace({access.instruction, access.pointer}, false);
  if (!added) return known->second;
  const Address address = address_of(*access.pointer, access.instruction->getDataLayout());
  const auto* made = dyn_cast<llvm::Instruction>(address.base);
  if (!made || made->getFunction() != access.instruction->getFunction()) return false;
  if (!llvm::isa<llvm::AllocaInst>(made) && !is_allocation(*made, rules_.points_to)) return false;
  for (const llvm::Instruction* publication : publications(*made)) {
    // The value that is published is in hand only once more has been made, or at once.
    if (publication == access.instruction || reaches(*publication, *access.instruction, *made))
      return false;
  }
  return known->second = true;
}

const Ownership::Argument* Ownership::argument_of(ThreadId id) const {
  auto& known = arguments_[id];
  if (known) return known.get();
  known = std::make_unique<Argument>();
  Argument& argument = *known;
  const AbstractThread& thread = rules_.threads[id];
  if (!thread.start || thread.wild || thread.root->arg_size() != 1) return known.get();
  const AbstractThread& parent = rules_.threads[thread.parent];
  const llvm::Function& function = *thread.start->getFunction();
  if (!parent.once || &function != parent.root) return known.get();
  const llvm::Value* passed = thread_start(*thread.start)->argument;
  Loops& loops = loops_of(function);
  argument.parameter = thread.root->getArg(0);
  argument.loop = loops.loops.getLoopFor(thread.start->getParent());
  if (!argument.loop) return known.get();
  argument.address = address_of(*passed, function.getDataLayout());
  const auto* made = dyn_cast<llvm::Instruction>(argument.address.base);
  if (made && is_allocation(*made, rules_.points_to) && argument.address.terms.empty() &&
      loops.loops.getLoopFor(made->getParent()) == argument.loop &&
      loops.dominators.dominates(made, thread.start)) {
    // One thread for each allocation.
    argument.is_new_memory = !reaches(*thread.start, *thread.start, *made);
    return known.get();
  }
  // The loop itself is executed once, and starts one thread in each round.
  for (const llvm::BasicBlock* before : llvm::predecessors(argument.loop->getHeader()))
    if (!argument.loop->contains(before) && is_in_cycle(*before->getTerminator()))
      return known.get();
  const llvm::SCEV* value = loops.evolution.getSCEV(const_cast<llvm::Value*>(core_of(passed)));
  if (const auto step = constant_step(value, argument.loop, loops.evolution)) argument.step = *step;
  return known.get();
}

// By how much a number that a thread computes differs from that of the thread started in the round
// before.
std::optional<int64_t> Ownership::step_of(const llvm::Value& index, ThreadId thread) const {
  const llvm::Value* core = core_of(&index);
  const Argument& argument = *argument_of(thread);
  if (core == argument.parameter && argument.step != 0 && !argument.is_new_memory)
    return argument.step;
  if (const auto* load = dyn_cast<llvm::LoadInst>(core)) return step_of_field(*load, thread);
  return {};
}

// `args->number`, where every round stores its own number there before it starts the thread, and
// nobody else writes there.
std::optional<int64_t> Ownership::step_of_field(const llvm::LoadInst& load, ThreadId id) const {
  const Argument& argument = *argument_of(id);
  if (!argument.parameter || !argument.loop) return {};
  if (!argument.is_new_memory && argument.step == 0) return {};
  const AbstractThread& thread = rules_.threads[id];
  const llvm::DataLayout& layout = load.getDataLayout();
  const Address field = address_of(*load.getPointerOperand(), layout);
  if (field.base != argument.parameter || !field.terms.empty()) return {};
  Loops& loops = loops_of(*thread.start->getFunction());
  const bitcode::Bits& targets = rules_.points_to.targets_of(*load.getPointerOperand());
  std::set<bitcode::ObjectId> objects;
  targets.for_each([&](uint32_t one) {
    objects.insert(rules_.points_to.solution().targets()[bitcode::TargetId{one}].object);
  });
  Access read{.extent = layout.getTypeStoreSize(load.getType()).getFixedValue()};
  targets.for_each([&](uint32_t one) {
    read.targets.push_back(rules_.points_to.solution().targets()[bitcode::TargetId{one}]);
  });
  const llvm::StoreInst* only = nullptr;
  for (bitcode::ObjectId object : objects) {
    const auto accesses = rules_.accesses.by_object().find(object);
    if (accesses == rules_.accesses.by_object().end()) return {};
    for (AccessIndex index : accesses->second) {
      const Access& write = rules_.accesses[index];
      if (write.mode == AccessMode::read || !overlap(write, read, object)) continue;
      const auto* store = dyn_cast<llvm::StoreInst>(write.instruction);
      if (!store || (only && only != store)) return {};
      only = store;
    }
  }
  if (!only || only->getFunction() != thread.start->getFunction() ||
      !loops.dominators.dominates(only, thread.start) ||
      loops.loops.getLoopFor(only->getParent()) != argument.loop)
    return {};
  Address written = address_of(*only->getPointerOperand(), layout);
  Address expected = argument.address;
  expected.constant += field.constant;
  if (written != expected) return {};
  const llvm::SCEV* value =
      loops.evolution.getSCEV(const_cast<llvm::Value*>(core_of(only->getValueOperand())));
  return constant_step(value, argument.loop, loops.evolution);
}

std::optional<Ownership::Slot> Ownership::slot_of(const Access& access) const {
  if (!access.pointer || access.instruction->getFunction() != rules_.threads[access.thread].root)
    return {};
  const Argument& argument = *argument_of(access.thread);
  if (!argument.parameter || !argument.loop) return {};
  const Address address = address_of(*access.pointer, access.instruction->getDataLayout());
  Slot slot{.from = address.constant,
            .to = address.constant + static_cast<int64_t>(access.extent.value_or(0))};
  if (core_of(address.base) == argument.parameter && address.terms.empty()) {
    if (address.base != argument.parameter) return {};
    slot.apart = argument.is_new_memory;
    slot.step = argument.step;
    if (!slot.apart && (slot.step == 0 || !access.extent)) return {};
    return slot;
  }
  if (address.terms.size() != 1 || !access.extent) return {};
  const auto base = rules_.objects.single_target(*address.base);
  if (!base) return {};
  const auto step = step_of(*address.terms.front().first, access.thread);
  if (!step) return {};
  // A constant next to the number counts as much as the number.
  const int64_t added = added_to_core(address.terms.front().first);
  slot.base = address.base;
  slot.object = base->object;
  slot.step = *step * address.terms.front().second;
  slot.from += base->offset + added * address.terms.front().second;
  slot.to += base->offset + added * address.terms.front().second;
  return slot;
}

// The starter's access to the element of this round, before it starts the thread of this round.
bool Ownership::before_start(const Access& parent, const Access& child) const {
  const AbstractThread& thread = rules_.threads[child.thread];
  const Argument& argument = *argument_of(child.thread);
  if (!argument.loop || argument.step == 0 || thread.parent != parent.thread || !parent.pointer ||
      !parent.extent || !argument.loop->contains(parent.instruction))
    return false;
  const auto slot = slot_of(child);
  if (!slot || slot->apart) return false;
  Loops& loops = loops_of(*parent.instruction->getFunction());
  const llvm::Instruction& header = argument.loop->getHeader()->front();
  if (loops.loops.getLoopFor(parent.instruction->getParent()) != argument.loop ||
      reaches(*thread.start, *parent.instruction, header))
    return false;
  Address address = address_of(*parent.pointer, parent.instruction->getDataLayout());
  // The same computation from this round's argument.
  if (slot->base) {
    if (address.terms.size() != 1) return false;
    const auto base = rules_.objects.single_target(*address.base);
    if (!base || base->object != slot->object) return false;
    const llvm::Value* passed = thread_start(*thread.start)->argument;
    const auto& [index, factor] = address.terms.front();
    if (core_of(index) != core_of(passed) || factor * argument.step != slot->step) return false;
    // What the thread gets may be the number of the next element.
    address.constant += base->offset + (added_to_core(index) - added_to_core(passed)) * factor;
  } else {
    if (address.base != argument.address.base || address.terms != argument.address.terms)
      return false;
    address.constant -= argument.address.constant;
  }
  const int64_t from = std::min(address.constant, slot->from);
  const int64_t to = std::max(address.constant + static_cast<int64_t>(*parent.extent), slot->to);
  return to - from <= std::abs(slot->step);
}

// The starter's access to the element of the round in which it has joined the element's thread.
bool Ownership::after_join(const Access& parent, const Access& child) const {
  const AbstractThread& thread = rules_.threads[child.thread];
  const Argument& argument = *argument_of(child.thread);
  const llvm::CallBase* join = rules_.running.joined_in_order(child.thread);
  if (!join || !argument.loop || argument.step == 0 || thread.parent != parent.thread ||
      !parent.pointer || !parent.extent || join->getFunction() != parent.instruction->getFunction())
    return false;
  const auto slot = slot_of(child);
  if (!slot || slot->apart) return false;
  Loops& loops = loops_of(*join->getFunction());
  const llvm::Loop* loop = loops.loops.getLoopFor(join->getParent());
  if (!loop || loops.loops.getLoopFor(parent.instruction->getParent()) != loop ||
      !loops.dominators.dominates(join, parent.instruction))
    return false;
  const llvm::Value* passed = thread_start(*thread.start)->argument;
  Address address = address_of(*parent.pointer, parent.instruction->getDataLayout());
  if (address.terms.size() != 1) return false;
  const auto& [index, factor] = address.terms.front();
  const llvm::Value* first_passed = core_of(passed);
  if (slot->base) {
    const auto base = rules_.objects.single_target(*address.base);
    if (!base || base->object != slot->object) return false;
    address.constant += base->offset + (added_to_core(index) - added_to_core(passed)) * factor;
  } else {
    // Both count from one address.
    if (argument.address.terms.size() != 1 || argument.address.terms.front().second != factor)
      return false;
    const auto base = rules_.objects.single_target(*address.base);
    const auto passed_base = rules_.objects.single_target(*argument.address.base);
    if (base && passed_base && base->object == passed_base->object)
      address.constant += static_cast<int64_t>(base->offset) - passed_base->offset;
    else if (address.base != argument.address.base)
      return false;
    const llvm::Value* passed_index = argument.address.terms.front().first;
    address.constant += (added_to_core(index) - added_to_core(passed_index)) * factor;
    address.constant -= argument.address.constant;
    first_passed = core_of(passed_index);
  }
  // Both numbers begin with the same and go on in equal steps, one in each round.
  const auto evolution_of = [&](const llvm::Value* number, const llvm::Loop* in) {
    const llvm::SCEV* value = loops.evolution.getSCEV(const_cast<llvm::Value*>(number));
    const auto* recurrence = dyn_cast<llvm::SCEVAddRecExpr>(value);
    return recurrence && recurrence->getLoop() == in && recurrence->isAffine() ? recurrence
                                                                               : nullptr;
  };
  const auto* started = evolution_of(first_passed, argument.loop);
  const auto* joined = evolution_of(core_of(index), loop);
  if (!started || !joined) return false;
  const auto same = [](const llvm::SCEV* a, const llvm::SCEV* b) {
    if (a == b) return true;
    const auto *one = dyn_cast<llvm::SCEVConstant>(a), *other = dyn_cast<llvm::SCEVConstant>(b);
    return one && other && one->getAPInt().getSExtValue() == other->getAPInt().getSExtValue();
  };
  const llvm::SCEV* step = started->getStepRecurrence(loops.evolution);
  const auto* constant = dyn_cast<llvm::SCEVConstant>(step);
  if (!same(started->getStart(), joined->getStart()) || !constant ||
      !same(step, joined->getStepRecurrence(loops.evolution)) ||
      constant->getAPInt().getSExtValue() * factor != slot->step)
    return false;
  const int64_t from = std::min(address.constant, slot->from);
  const int64_t to = std::max(address.constant + static_cast<int64_t>(*parent.extent), slot->to);
  return to - from <= std::abs(slot->step);
}

bool Ownership::keeps_apart(const Access& a, const Access& b, bitcode::ObjectId) const {
  if (is_unpublished(a) || is_unpublished(b)) return true;
  if (a.thread == b.thread) {
    const auto one = slot_of(a), other = slot_of(b);
    if (!one || !other) return false;
    if (one->apart && other->apart && !one->base && !other->base) return true;
    if (one->apart != other->apart || one->step != other->step || one->step == 0 ||
        !one->base != !other->base || one->object != other->object)
      return false;
    return std::max(one->to, other->to) - std::min(one->from, other->from) <= std::abs(one->step);
  }
  return before_start(a, b) || before_start(b, a) || after_join(a, b) || after_join(b, a);
}

}  // namespace foretell::static_analysis
