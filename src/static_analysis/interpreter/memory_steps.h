// SPDX-License-Identifier: Apache-2.0

// Reads and writes of the interpreter, and what threads see of each other: definitions of templates,
// for interpreter.cc alone.
#pragma once

#include <algorithm>

#include "static_analysis/interpreter/expressions.h"
#include "static_analysis/interpreter/interpreter.h"

namespace foretell::static_analysis::interpreter {

// Whether a thread that was surely started from here, and is over, has written after this one did.
template <typename Cell>
bool Interpreter<Cell>::is_covered(const Unit& unit, const llvm::Instruction& at,
                                   const MemoryState& state, PlaceId place) const {
  if (!unit.is_root) return false;
  const PlaceState<Cell>& own = state.at(place);
  return std::ranges::any_of(state.surely_started, [&](ThreadId child) {
    const AbstractThread& thread = rules_.threads[child];
    if (!thread.once || thread.parent != unit.thread || own.older.contains(child) ||
        !surely_writes_[number(child)][number(place)])
      return false;
    if (llvm::isa<llvm::ReturnInst>(at)) return !rules_.running.left_at_exit(unit.thread, child);
    return at.mayReadOrWriteMemory() && !rules_.running.below(unit.thread, at, child);
  });
}

template <typename Cell>
Cell Interpreter<Cell>::visible(const Unit& unit, const llvm::Instruction& at,
                                const MemoryState& state, PlaceId place) const {
  const PlaceState<Cell>& own = state.at(place);
  Cell seen = is_covered(unit, at, state, place) ? Cell() : own.held;
  // In a function that is called, what its thread does around it is not followed.
  if (!unit.is_root) seen = seen.join(everything_in(place));
  for (const Fact& fact : facts_[number(place)]) {
    bool is_visible = fact.is_called && fact.thread == unit.thread;
    is_visible |= state.started.contains(fact.thread) && !own.replaced.contains(fact.thread);
    if (!is_visible && (fact.thread != unit.thread || !rules_.threads[unit.thread].once))
      is_visible = rules_.running.in_parallel(*fact.instruction, fact.thread, at, unit.thread);
    if (is_visible) seen = seen.join(Cell::written(writer_of(fact.thread), fact.value));
  }
  return seen;
}

template <typename Cell>
auto Interpreter<Cell>::handed_over(const Unit& unit, const llvm::Instruction& at,
                                    const MemoryState& state) const -> MemoryState {
  MemoryState handed;
  handed.is_reached = true;
  handed.places.resize(memory_.size());
  for (size_t i = 0; i < memory_.size(); i++) {
    const PlaceId place{static_cast<uint32_t>(i)};
    if (!memory_[place].is_typed) continue;
    const PlaceState<Cell>& own = state.at(place);
    Cell held = is_covered(unit, at, state, place) ? Cell() : own.held;
    for (const Fact& fact : facts_[i])
      if ((fact.is_called && fact.thread == unit.thread) ||
          (state.started.contains(fact.thread) && !own.replaced.contains(fact.thread)))
        held = held.join(Cell::written(writer_of(fact.thread), fact.value));
    handed.set(place, {.held = std::move(held), .replaced = {}, .older = {}});
  }
  return handed;
}

template <typename Cell>
void Interpreter<Cell>::write(Unit& unit, const llvm::Instruction& at, MemoryState& state,
                              PlaceId place, const Value& value, bool replaces) const {
  if (!memory_[place].is_typed) return;
  Value kept = value;
  if (kept == Value()) kept = Value::top_of(*memory_[place].type);
  Cell written = Cell::written(writer_of(unit.thread), kept);
  const PlaceState<Cell>& own = state.at(place);
  if (!replaces || !unit.is_root || !memory_[place].is_exact) {
    PlaceState<Cell> made = own;
    made.held = own.held.join(written);
    made.older = state.started;
    state.set(place, std::move(made));
    return;
  }
  PlaceState<Cell> made{
      .held = std::move(written), .replaced = {}, .older = state.started, .is_own = true};
  for (const ThreadId thread : state.started) {
    const bool is_over = std::ranges::none_of(facts_[number(place)], [&](const Fact& fact) {
      return fact.thread == thread &&
             rules_.running.in_parallel(*fact.instruction, thread, at, unit.thread);
    });
    if (is_over) made.replaced.insert(thread);
  }
  state.set(place, std::move(made));
}

template <typename Cell>
Value Interpreter<Cell>::loaded(const Unit& unit, const llvm::Instruction& at,
                                const MemoryState& state, const llvm::Type& type) const {
  const Touched& touched = memory_.touched_by(at);
  if (touched.reads_unknown || touched.reads.empty()) return Value::top_of(type);
  Value all = Value::nothing_of(type);
  for (const PlaceId place : touched.reads) {
    if (!memory_[place].is_typed || memory_[place].type != &type) return Value::top_of(type);
    if (const auto value = visible(unit, at, state, place).read()) all = all.join(*value);
  }
  return all == Value() ? Value::top_of(type) : all;
}

template <typename Cell>
void Interpreter<Cell>::stored(Unit& unit, const llvm::Instruction& at, MemoryState& state,
                               const Value& value) const {
  const Touched& touched = memory_.touched_by(at);
  for (const PlaceId place : touched.writes)
    write(unit, at, state, place, value, touched.writes.size() == 1);
}

template <typename Cell>
Value Interpreter<Cell>::updated(const Unit& unit, const llvm::AtomicRMWInst& update,
                                 const MemoryState& state) const {
  const Value old = loaded(unit, update, state, *update.getType());
  const auto sharp = state.refined.find(update.getValOperand());
  const Value operand =
      sharp != state.refined.end() ? sharp->second : value_of(*update.getValOperand(), unit.thread);
  if (update.getOperation() == llvm::AtomicRMWInst::Xchg) return operand;
  const auto operation = operation_of(update.getOperation());
  // Atomic arithmetic wraps around, but a sum that is assumed not to overflow does not.
  if (!operation || !old.number() || !operand.number()) return Value::top_of(*update.getType());
  return domain::Number::apply(*operation, *old.number(), *operand.number(),
                               domain::Overflow::wraps);
}

template <typename Cell>
void Interpreter<Cell>::step(Unit& unit, const llvm::Instruction& instruction,
                             MemoryState& state) const {
  if (llvm::isa<llvm::PHINode>(instruction)) return;
  state.refined.erase(&instruction);
  const Lookup value = [&](const llvm::Value& one) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&one)) return Value::of(*constant);
    const auto sharp = state.refined.find(&one);
    if (sharp != state.refined.end()) return sharp->second;
    const auto known = unit.registers.find(&one);
    return known == unit.registers.end() ? Value::top_of(*one.getType()) : known->second;
  };
  if (llvm::isa<llvm::LoadInst>(instruction)) {
    unit.registers[&instruction] = loaded(unit, instruction, state, *instruction.getType());
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    stored(unit, instruction, state, value(*store->getValueOperand()));
  } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    unit.registers[&instruction] = loaded(unit, instruction, state, *update->getType());
    stored(unit, instruction, state, updated(unit, *update, state));
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    // It writes or does not.
    for (const PlaceId place : memory_.touched_by(instruction).writes)
      write(unit, instruction, state, place,
            Value::top_of(*exchange->getNewValOperand()->getType()), false);
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (const auto* children = rules_.threads.started_by(*call))
      for (const ThreadId child : *children) {
        const std::vector<ThreadId> family = rules_.threads.family(child);
        state.started.insert(family.begin(), family.end());
        if (children->size() == 1) state.surely_started.insert(child);
        for (size_t i = 0; i < state.places.size(); i++) {
          if (!state.places[i] || state.places[i]->replaced.empty()) continue;
          PlaceState<Cell> changed = *state.places[i];
          for (const ThreadId one : family) changed.replaced.erase(one);
          state.set(PlaceId(i), std::move(changed));
        }
      }
    if (!call->getType()->isVoidTy())
      unit.registers[&instruction] = Value::top_of(*call->getType());
  } else if (!instruction.getType()->isVoidTy()) {
    unit.registers[&instruction] = computed(instruction, value);
  }
}

}  // namespace foretell::static_analysis::interpreter
