// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/interpreter/interpreter.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "static_analysis/interpreter/expressions.h"
#include "static_analysis/interpreter/memory_steps.h"

namespace foretell::static_analysis::interpreter {

using llvm::dyn_cast;

namespace {

constexpr int kRoundsBeforeWidening = 3, kMostRounds = 40;
constexpr int kVisitsBeforeWidening = 2, kNarrowingVisits = 2, kMostVisits = 400;
constexpr size_t kMostBlocks = 5000, kMostStates = 8'000'000;

}  // namespace

template <typename Cell>
Interpreter<Cell>::Interpreter(const PairRules& rules, const Places& places)
    : rules_(rules), memory_(places), facts_(places.size()) {
  size_t blocks = 0;
  for (size_t i = 0; i < rules.threads.size(); i++) {
    const auto thread = static_cast<ThreadId>(i);
    for (const llvm::Function* function : rules.threads[thread].functions) {
      if (function->isDeclaration()) continue;
      blocks += function->size();
      gave_up_ |= function->size() > kMostBlocks;
      Unit unit;
      unit.thread = thread;
      unit.function = function;
      unit.is_root = function == rules.threads[thread].root;
      units_.push_back(std::move(unit));
    }
  }
  gave_up_ |= blocks * places.size() > kMostStates;
  if (gave_up_) return;
  for (Unit& unit : units_) unit.order = weak_topological_order(*unit.function);
  collect_thresholds();
  surely_writes_.assign(rules.threads.size(), std::vector<bool>(places.size(), true));
  for (; round_ < kMostRounds; round_++) {
    new_facts_.assign(places.size(), {});
    new_entries_.clear();
    new_surely_writes_ = surely_writes_;
    reads_.clear();
    final_.clear();
    spans_.clear();
    for (Unit& unit : units_) interpret(unit);
    if (!publish()) return;
  }
  gave_up_ = true;
}

// Constants that the program compares with, and those next to them.
template <typename Cell>
void Interpreter<Cell>::collect_thresholds() {
  std::set<int64_t> all = {-1, 0, 1};
  for (const Unit& unit : units_)
    for (const llvm::Instruction& instruction : llvm::instructions(*unit.function)) {
      if (!llvm::isa<llvm::CmpInst, llvm::StoreInst, llvm::BinaryOperator>(instruction)) continue;
      for (const llvm::Use& operand : instruction.operands())
        if (const auto* number = dyn_cast<llvm::ConstantInt>(operand.get());
            number && number->getBitWidth() <= 64 && all.size() < 200)
          for (const int next : {-1, 0, 1})
            all.insert(domain::wrapped(64, __int128{number->getSExtValue()} + next));
    }
  thresholds_.assign(all.begin(), all.end());
}

template <typename Cell>
Cell Interpreter<Cell>::everything_in(PlaceId place) const {
  Cell all = Cell::written(memory::kSystem, memory_[place].initial);
  for (const Fact& fact : facts_[number(place)])
    all = all.join(Cell::written(writer_of(fact.thread), fact.value));
  return all;
}

template <typename Cell>
auto Interpreter<Cell>::first_state(const Unit& unit) const -> MemoryState {
  const AbstractThread& thread = rules_.threads[unit.thread];
  MemoryState state;
  state.places.resize(memory_.size());
  const bool is_main = unit.is_root && unit.thread == kMain && !thread.start;
  // Where no rule follows: whatever was ever written.
  const bool is_far =
      !unit.is_root || thread.wild ||
      (thread.start && thread.start->getFunction() != rules_.threads[thread.parent].root);
  if (!is_main && !is_far) {
    const auto entry = entries_.find(unit.thread);
    return entry == entries_.end() ? MemoryState() : entry->second;
  }
  state.is_reached = true;
  for (size_t i = 0; i < memory_.size(); i++) {
    const PlaceId place{static_cast<uint32_t>(i)};
    if (!memory_[place].is_typed) continue;
    state.set(place, {.held = is_main ? Cell::written(memory::kSystem, memory_[place].initial)
                                      : everything_in(place),
                      .replaced = {},
                      .older = {}});
  }
  return state;
}

template <typename Cell>
void Interpreter<Cell>::interpret(Unit& unit) {
  unit.in.clear();
  unit.out.clear();
  unit.registers.clear();
  const MemoryState first = first_state(unit);
  if (!first.is_reached) return;
  unit.in[&unit.function->getEntryBlock()] = first;
  widens_ = true;
  iterate(unit, unit.order);
  if (gave_up_) return;
  is_noting_ = true;
  for (const llvm::BasicBlock& block : *unit.function) execute(unit, block);
  is_noting_ = false;
}

template <typename Cell>
void Interpreter<Cell>::iterate(Unit& unit, const std::vector<Component>& order) {
  for (const Component& component : order) {
    if (component.is_cycle) {
      stabilize(unit, component);
      continue;
    }
    unit.in[component.head] = entering(unit, *component.head, false);
    execute(unit, *component.head);
  }
}

template <typename Cell>
void Interpreter<Cell>::stabilize(Unit& unit, const Component& component) {
  const llvm::BasicBlock& head = *component.head;
  const auto once = [&](bool widens) {
    const auto registers_of_head = [&] {
      std::vector<Value> values;
      for (const llvm::PHINode& phi : head.phis()) values.push_back(unit.registers.lookup(&phi));
      return values;
    };
    const MemoryState before = unit.in[&head];
    const auto values_before = registers_of_head();
    MemoryState next = entering(unit, head, widens);
    if (widens) {
      MemoryState widened = before;
      widened.widen(next, thresholds_);
      next = std::move(widened);
    }
    const bool is_stable = next.is_same(before) && registers_of_head() == values_before;
    unit.in[&head] = std::move(next);
    execute(unit, head);
    iterate(unit, component.body);
    return is_stable;
  };
  once(false);
  int visits = 1;
  while (!once(visits >= kVisitsBeforeWidening))
    if (++visits > kMostVisits) {
      gave_up_ = true;
      return;
    }
  for (int i = 0; i < kNarrowingVisits; i++) once(false);
}

template <typename Cell>
auto Interpreter<Cell>::entering(Unit& unit, const llvm::BasicBlock& block, bool widens)
    -> MemoryState {
  MemoryState state;
  state.places.resize(memory_.size());
  if (&block == &unit.function->getEntryBlock()) state = first_state(unit);
  std::map<const llvm::PHINode*, Value> phis;
  for (const llvm::BasicBlock* before : llvm::predecessors(&block)) {
    const auto found = unit.out.find(before);
    if (found == unit.out.end() || !found->second.is_reached) continue;
    MemoryState out = found->second;
    const Lookup value_of = [&](const llvm::Value& value) {
      if (const auto* constant = dyn_cast<llvm::Constant>(&value)) return Value::of(*constant);
      const auto sharp = out.refined.find(&value);
      if (sharp != out.refined.end()) return sharp->second;
      const auto known = unit.registers.find(&value);
      return known == unit.registers.end() ? Value::top_of(*value.getType()) : known->second;
    };
    if (!refine_along(*before, block, value_of, out.refined)) continue;
    for (const llvm::PHINode& phi : block.phis()) {
      const Value value = value_of(*phi.getIncomingValueForBlock(before));
      const auto [known, added] = phis.try_emplace(&phi, value);
      if (!added) known->second = known->second.join(value);
    }
    state.join(out);
  }
  for (const auto& [phi, value] : phis) {
    const auto known = unit.registers.find(phi);
    const bool has_old = known != unit.registers.end();
    unit.registers[phi] =
        widens && has_old ? known->second.widen(known->second.join(value), thresholds_) : value;
    state.refined.erase(phi);
  }
  return state;
}

template <typename Cell>
void Interpreter<Cell>::execute(Unit& unit, const llvm::BasicBlock& block) {
  MemoryState state = unit.in[&block];
  if (state.is_reached)
    for (const llvm::Instruction& instruction : block) {
      if (is_noting_) note(unit, instruction, state);
      step(unit, instruction, state);
    }
  unit.out[&block] = std::move(state);
}

template <typename Cell>
void Interpreter<Cell>::note_span(const Unit& unit, const llvm::Instruction& instruction,
                                  const MemoryState& state) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (!pointer || !unit.is_root) return;
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const Address address = address_of(*pointer, layout);
  const auto size =
      layout.getTypeStoreSize(llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&instruction)));
  __int128 low = address.constant, high = low + size.getKnownMinValue();
  constexpr __int128 kFar = __int128{1} << 60;
  bool is_known = !size.isScalable();
  for (const auto& [term, factor] : address.terms) {
    const auto sharp = state.refined.find(term);
    const Value value = sharp != state.refined.end() ? sharp->second : value_of(*term, unit.thread);
    const domain::Number* number = value.number();
    is_known = is_known && number && !number->is_bottom();
    if (!is_known) break;
    const auto& range = number->part<domain::Interval>();
    const __int128 one = __int128{range.low()} * factor, other = __int128{range.high()} * factor;
    low += std::min(one, other);
    high += std::max(one, other);
  }
  is_known = is_known && low > -kFar && high < kFar;
  // A block is interpreted once when all is noted.
  spans_[{&instruction, unit.thread}] =
      is_known ? std::optional(Span{static_cast<int64_t>(low), static_cast<int64_t>(high)})
               : std::nullopt;
}

template <typename Cell>
auto Interpreter<Cell>::span_of(const llvm::Instruction& access, ThreadId thread) const
    -> std::optional<Span> {
  const auto found = spans_.find({&access, thread});
  return found == spans_.end() || gave_up_ ? std::nullopt : found->second;
}

template <typename Cell>
void Interpreter<Cell>::note_end(const Unit& unit, const llvm::Instruction& instruction,
                                 const MemoryState& state) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  const bool exits =
      callee && (callee->getName() == "pthread_exit" || callee->getName() == "thrd_exit");
  const bool returns = unit.is_root && llvm::isa<llvm::ReturnInst>(instruction);
  if (!exits && !returns) return;
  std::vector<bool>& writes = new_surely_writes_[number(unit.thread)];
  for (size_t i = 0; i < writes.size(); i++)
    writes[i] = writes[i] && unit.is_root && state.places[i] && state.places[i]->is_own;
}

// What the others get to know; only once the thread is stable.
template <typename Cell>
void Interpreter<Cell>::note(Unit& unit, const llvm::Instruction& instruction,
                             const MemoryState& state) {
  const Touched& touched = memory_.touched_by(instruction);
  note_end(unit, instruction, state);
  note_span(unit, instruction, state);
  for (const PlaceId place : touched.reads)
    if (memory_[place].is_typed)
      reads_.push_back(
          {&instruction, unit.thread, place, visible(unit, instruction, state, place)});
  if (const auto* call = dyn_cast<llvm::CallBase>(&instruction))
    if (const auto* children = rules_.threads.started_by(*call); children && unit.is_root)
      for (const ThreadId child : *children) {
        MemoryState handed = handed_over(unit, instruction, state);
        const auto [known, added] = new_entries_.try_emplace(child, handed);
        if (!added) known->second.join(handed);
      }
  if (unit.is_root && unit.thread == kMain && llvm::isa<llvm::ReturnInst>(instruction))
    for (size_t i = 0; i < memory_.size(); i++) {
      const PlaceId place{static_cast<uint32_t>(i)};
      if (!memory_[place].is_typed) continue;
      const Cell left = visible(unit, instruction, state, place);
      const auto [known, added] = final_.try_emplace(place, left);
      if (!added) known->second = known->second.join(left);
    }
  if (touched.writes.empty()) return;
  for (const PlaceId place : touched.writes) {
    if (!memory_[place].is_typed) continue;
    Value written;
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      // What the register is known to be here.
      const auto sharp = state.refined.find(store->getValueOperand());
      written = sharp != state.refined.end() ? sharp->second
                                             : value_of(*store->getValueOperand(), unit.thread);
    } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      written = updated(unit, *update, state);
    } else {
      written = Value::top_of(*memory_[place].type);
    }
    if (written == Value()) written = Value::top_of(*memory_[place].type);
    if (written.is_nothing()) continue;
    new_facts_[number(place)].push_back({&instruction, unit.thread, !unit.is_root, written});
  }
}

template <typename Cell>
bool Interpreter<Cell>::publish() {
  bool changed = gave_up_ || new_surely_writes_ != surely_writes_;
  surely_writes_ = new_surely_writes_;
  const bool widens = round_ >= kRoundsBeforeWidening;
  for (size_t i = 0; i < facts_.size(); i++)
    for (Fact& fact : new_facts_[i]) {
      auto known = std::ranges::find_if(facts_[i], [&](const Fact& one) {
        return one.instruction == fact.instruction && one.thread == fact.thread;
      });
      if (known == facts_[i].end()) {
        facts_[i].push_back(std::move(fact));
        changed = true;
      } else if (!fact.value.is_below(known->value)) {
        Value joined = known->value.join(fact.value);
        known->value = widens ? known->value.widen(joined, thresholds_) : joined;
        changed = true;
      }
    }
  for (auto& [thread, entry] : new_entries_) {
    const auto [known, added] = entries_.try_emplace(thread, entry);
    changed |= added;
    if (added) continue;
    MemoryState joined = known->second;
    joined.join(entry);
    if (joined.is_same(known->second)) continue;
    if (widens) {
      known->second.widen(joined, thresholds_);
    } else {
      known->second = std::move(joined);
    }
    changed = true;
  }
  return changed && !gave_up_;
}

template <typename Cell>
Value Interpreter<Cell>::value_of(const llvm::Value& value, ThreadId thread) const {
  if (const auto* constant = dyn_cast<llvm::Constant>(&value)) return Value::of(*constant);
  const auto* instruction = dyn_cast<llvm::Instruction>(&value);
  for (const Unit& unit : units_) {
    if (unit.thread != thread || !instruction || unit.function != instruction->getFunction())
      continue;
    const auto known = unit.registers.find(&value);
    if (known != unit.registers.end() && !gave_up_) return known->second;
  }
  return Value::top_of(*value.getType());
}

template class Interpreter<memory::ThreadValues<Value>>;
template class Interpreter<memory::JoinedValue<Value>>;

}  // namespace foretell::static_analysis::interpreter
