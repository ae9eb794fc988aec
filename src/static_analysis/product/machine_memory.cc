// SPDX-License-Identifier: Apache-2.0

// What memory holds.
//
// Atomic accesses count as sequentially consistent ones, or not at all: a cell some weaker access
// writes to holds anything, and a weaker load reads anything. What the others and the locks order is
// then what interleavings show (the theorem that programs without data races are sequentially
// consistent: Boehm, Adve, "Foundations of the C++ concurrency memory model", PLDI 2008).

#include "static_analysis/product/machine.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

using Kind = Value::Kind;

uint32_t size_of_type(llvm::Type& type, const llvm::Instruction& at) {
  const llvm::TypeSize bytes = at.getDataLayout().getTypeStoreSize(&type);
  return bytes.isScalable() ? 0 : static_cast<uint32_t>(bytes.getFixedValue());
}

std::optional<uint64_t> updated(llvm::AtomicRMWInst::BinOp operation, const llvm::APInt& old,
                                const llvm::APInt& value) {
  using llvm::AtomicRMWInst;
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return value.getZExtValue();
    case AtomicRMWInst::Add:
      return (old + value).getZExtValue();
    case AtomicRMWInst::Sub:
      return (old - value).getZExtValue();
    case AtomicRMWInst::And:
      return (old & value).getZExtValue();
    case AtomicRMWInst::Or:
      return (old | value).getZExtValue();
    case AtomicRMWInst::Xor:
      return (old ^ value).getZExtValue();
    case AtomicRMWInst::Nand:
      return (~(old & value)).getZExtValue();
    default:
      return {};
  }
}

}  // namespace

// With one atomic place, coherence makes one order of all accesses to it that agrees with what happens
// before what; and if whoever reads acquires what whoever wrote has released, each value that is read
// orders. So interleavings show all there is.
bool Machine::has_one_atomic_place() const {
  using llvm::isAcquireOrStronger, llvm::isReleaseOrStronger, llvm::isAtLeastOrStrongerThan;
  constexpr auto both = llvm::AtomicOrdering::AcquireRelease;
  std::set<bitcode::TargetId> places;
  for (const bitcode::Touch& touch : rules_.points_to.touches()) {
    const llvm::Instruction& by = *touch.instruction;
    if (!by.isAtomic() || llvm::isa<llvm::FenceInst>(by)) continue;
    bool orders = false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&by))
      orders = isAcquireOrStronger(load->getOrdering());
    else if (const auto* store = dyn_cast<llvm::StoreInst>(&by))
      orders = isReleaseOrStronger(store->getOrdering());
    else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&by))
      orders = isAtLeastOrStrongerThan(update->getOrdering(), both);
    else if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&by))
      orders = isAtLeastOrStrongerThan(swap->getSuccessOrdering(), both) &&
               isAcquireOrStronger(swap->getFailureOrdering());
    if (!orders) return false;
    const bitcode::Bits& targets = rules_.points_to.solution().targets_of(touch.pointer);
    if (targets.count() != 1) return false;
    targets.for_each([&](uint32_t id) {
      const auto target = rules_.points_to.solution().targets()[bitcode::TargetId{id}];
      if (target.stride == 0 && rules_.objects.is_single(target.object))
        places.insert(bitcode::TargetId{id});
    });
    if (places.size() != 1) return false;
  }
  return places.size() == 1;
}

bool Machine::is_weak(const llvm::Instruction& instruction) const {
  using llvm::AtomicOrdering;
  if (one_place_) return false;
  const auto strong = AtomicOrdering::SequentiallyConsistent;
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction))
    return load->isAtomic() && load->getOrdering() != strong;
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction))
    return store->isAtomic() && store->getOrdering() != strong;
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update->getOrdering() != strong;
  if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return swap->getSuccessOrdering() != strong || swap->getFailureOrdering() != strong;
  return false;
}

bool Machine::is_kept(const Value& pointer) const {
  return pointer.kind == Kind::pointer && places_[pointer.id].is_kept &&
         !weak_sites_.contains(places_[pointer.id].site);
}

Value Machine::load(const State& state, const Value& pointer, llvm::Type& type) const {
  if (!is_kept(pointer) || !type.isIntOrPtrTy()) return {};
  const llvm::DataLayout& layout = rules_.threads[kMain].root->getParent()->getDataLayout();
  const auto size = static_cast<uint32_t>(layout.getTypeStoreSize(&type).getFixedValue());
  const Spot spot{pointer.id, static_cast<uint32_t>(pointer.bits)};
  if (const Cell* cell = state.find(spot)) return cell->size == size ? cell->value : Value{};
  for (const Cell& cell : state.cells)
    if (cell.spot.object == spot.object && cell.spot.offset < spot.offset + size &&
        spot.offset < cell.spot.offset + cell.size)
      return {};
  return places_.initial(spot, type, state);
}

void Machine::blur_targets(State& state, const bitcode::Bits& targets) {
  targets.for_each([&](uint32_t id) {
    const auto object = rules_.points_to.solution().targets()[bitcode::TargetId{id}].object;
    if (object == bitcode::kUnknownObject) fail("a write nobody can follow");
    for (ObjectIndex made : places_.made_by(rules_.points_to[object].value)) state.blur(made);
  });
}

Machine::Next Machine::store(State& state, const Value& pointer, const llvm::Value& operand,
                             uint32_t size, const Value& value) {
  switch (pointer.kind) {
    case Kind::pointer:
      if (is_kept(pointer))
        state.put({pointer.id, static_cast<uint32_t>(pointer.bits)}, size, value);
      return Next::next;
    case Kind::somewhere:
      state.blur(pointer.id);
      return Next::next;
    case Kind::number:
      // Nothing follows a store through a null pointer.
      if (pointer.bits == 0) return Next::drop;
      return fail("a write to an address computed as a number");
    case Kind::any:
    case Kind::function:
    case Kind::thread:
      blur_targets(state, rules_.points_to.targets_of(operand));
      return Next::next;
  }
  return Next::next;
}

Machine::Next Machine::access_memory(State& state, size_t index,
                                     const llvm::Instruction& instruction) {
  ThreadState& thread = state.threads[index];
  if (const auto* one = dyn_cast<llvm::LoadInst>(&instruction)) {
    const Value pointer = value_of(*one->getPointerOperand(), thread);
    if (pointer.kind == Kind::number && pointer.bits == 0) return Next::drop;
    if (relevance_.is_relevant(*one))
      set(thread, *one, is_weak(*one) ? Value{} : load(state, pointer, *one->getType()));
    return Next::next;
  }
  if (const auto* one = dyn_cast<llvm::StoreInst>(&instruction)) {
    const Value value = one->getValueOperand()->getType()->isIntOrPtrTy()
                            ? value_of(*one->getValueOperand(), thread)
                            : Value{};
    return store(state, value_of(*one->getPointerOperand(), thread), *one->getPointerOperand(),
                 size_of_type(*one->getValueOperand()->getType(), *one), value);
  }
  if (const auto* one = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update(state, index, *one);
  if (const auto* one = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return swap(state, index, *one);
  if (llvm::isa<llvm::FenceInst>(instruction)) return Next::next;
  return fail("an access the product does not follow");
}

Machine::Next Machine::update(State& state, size_t index, const llvm::AtomicRMWInst& update) {
  ThreadState& thread = state.threads[index];
  const Value pointer = value_of(*update.getPointerOperand(), thread);
  const Value old = load(state, pointer, *update.getType());
  const Value value = value_of(*update.getValOperand(), thread);
  Value result;
  if (update.getOperation() == llvm::AtomicRMWInst::Xchg) {
    result = value;
  } else if (old.kind == Kind::number && value.kind == Kind::number &&
             update.getType()->isIntegerTy()) {
    const unsigned width = update.getType()->getIntegerBitWidth();
    if (const auto bits = updated(update.getOperation(), llvm::APInt(width, old.bits),
                                  llvm::APInt(width, value.bits)))
      result = {.kind = Kind::number, .bits = *bits};
  }
  set(thread, update, old);
  return store(state, pointer, *update.getPointerOperand(), size_of_type(*update.getType(), update),
               result);
}

Machine::Next Machine::swap(State& state, size_t index, const llvm::AtomicCmpXchgInst& swap) {
  ThreadState& thread = state.threads[index];
  const Value pointer = value_of(*swap.getPointerOperand(), thread);
  llvm::Type& type = *swap.getCompareOperand()->getType();
  const Value old = load(state, pointer, type);
  const Value expected = value_of(*swap.getCompareOperand(), thread);
  const Value desired = value_of(*swap.getNewValOperand(), thread);
  const bool known = old.kind == Kind::number && expected.kind == Kind::number;
  const bool same_pointer =
      old.kind == Kind::pointer && old == expected && !places_[old.id].is_summary;
  const bool may_succeed = !known || old == expected;
  const bool may_fail = swap.isWeak() || !((known && old == expected) || same_pointer);
  const auto end = [&](State& one, bool success) {
    set(one.threads[index], swap, success && old.is_any() ? expected : old, 0);
    set(one.threads[index], swap, {.kind = Kind::number, .bits = success}, 1);
    if (!success) return Next::next;
    return store(one, pointer, *swap.getPointerOperand(), size_of_type(type, swap), desired);
  };
  if (may_succeed && may_fail) {
    State& other = fork(state);
    end(other, false);
    other.threads[index].frames.back().at++;
  }
  return end(state, may_succeed);
}

}  // namespace foretell::static_analysis
