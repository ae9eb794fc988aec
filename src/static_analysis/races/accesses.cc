// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/accesses.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <numeric>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {
namespace {

using bitcode::ObjectId;
using bitcode::Target;
using llvm::dyn_cast;

struct Shape {
  const llvm::Value* pointer = nullptr;
  std::optional<uint64_t> extent;
  bool is_atomic = false;
};

Shape shape_of(const bitcode::Touch& touch) {
  const llvm::Instruction& instruction = *touch.instruction;
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const auto size = [&](llvm::Type* type) -> std::optional<uint64_t> {
    const llvm::TypeSize bytes = layout.getTypeStoreSize(type);
    return bytes.isScalable() ? std::nullopt : std::optional(bytes.getFixedValue());
  };
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction))
    return {load->getPointerOperand(), size(load->getType()), load->isAtomic()};
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction))
    return {store->getPointerOperand(), size(store->getValueOperand()->getType()),
            store->isAtomic()};
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return {update->getPointerOperand(), size(update->getType()), true};
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return {exchange->getPointerOperand(), size(exchange->getCompareOperand()->getType()), true};
  if (const auto* memory = dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    std::optional<uint64_t> length;
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(memory->getLength()))
      length = constant->getZExtValue();
    const auto* copy = dyn_cast<llvm::MemTransferInst>(memory);
    return {touch.is_source && copy ? copy->getRawSource() : memory->getRawDest(), length};
  }
  // A library function that gets one pointer touches what it is given.
  Shape shape;
  if (const auto* call = dyn_cast<llvm::CallBase>(&instruction))
    for (const llvm::Use& argument : call->args())
      if (argument->getType()->isPointerTy()) {
        if (shape.pointer) return {};
        shape.pointer = argument;
      }
  return shape;
}

AccessMode mode_of(program::AccessKind kind) {
  switch (kind) {
    case program::AccessKind::read:
      return AccessMode::read;
    case program::AccessKind::write:
      return AccessMode::write;
    case program::AccessKind::update:
      return AccessMode::update;
  }
  return AccessMode::update;
}

// Memory that was just made belongs to nobody else yet.
bool is_new_memory(const bitcode::Touch& touch, const bitcode::PointsTo& points_to) {
  const auto* call = dyn_cast<llvm::CallBase>(touch.instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || touch.kind != program::AccessKind::write) return false;
  const auto effect = points_to.externals().of(callee->getName()).effect;
  return effect == bitcode::Effect::allocates || effect == bitcode::Effect::allocates_into_first ||
         effect == bitcode::Effect::reallocates;
}

}  // namespace

Accesses::Accesses(const Threads& threads, const Objects& objects,
                   const bitcode::PointsTo& points_to)
    : objects_(objects), points_to_(points_to) {
  for (const bitcode::Touch& touch : points_to.touches()) {
    const auto* call = dyn_cast<llvm::CallBase>(touch.instruction);
    if (call && (is_synchronization(*call) || is_new_memory(touch, points_to))) continue;
    const Shape shape = shape_of(touch);
    for (ThreadId thread : threads.running(*touch.instruction->getFunction()))
      add({.instruction = touch.instruction,
           .pointer = shape.pointer,
           .thread = thread,
           .mode = mode_of(touch.kind),
           .is_atomic = shape.is_atomic,
           .extent = shape.extent},
          points_to.solution().targets_of(touch.pointer));
  }
  std::set<const llvm::Function*> functions;
  for (const AbstractThread& thread : threads.all())
    functions.insert(thread.functions.begin(), thread.functions.end());
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function))
      if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) add_handles(*call, threads);
  spread_unknown();
  std::erase_if(by_object_, [&](const auto& entry) {
    for (AccessIndex index : entry.second)
      if (accesses_[index].mode != AccessMode::read) return false;
    return true;
  });
}

// A pointer nobody can name may be to anything that has escaped.
void Accesses::spread_unknown() {
  const auto unknown = by_object_.find(bitcode::kUnknownObject);
  if (unknown == by_object_.end()) return;
  for (auto& [object, indexes] : by_object_) {
    if (object == bitcode::kUnknownObject || !points_to_.solution().has_escaped(object)) continue;
    for (AccessIndex index : unknown->second) {
      accesses_[index].targets.push_back({object, 0, 1});
      if (!llvm::is_contained(indexes, index)) indexes.push_back(index);
    }
  }
}

// Starting a thread writes its handle, and joining one writes its result.
void Accesses::add_handles(const llvm::CallBase& call, const Threads& threads) {
  const llvm::Value* written = nullptr;
  if (const auto start = thread_start(call)) written = start->handle;
  if (joined_handle(call) && call.getArgOperand(1)->getType()->isPointerTy())
    written = call.getArgOperand(1);
  if (!written || llvm::isa<llvm::ConstantPointerNull>(written)) return;
  for (ThreadId thread : threads.running(*call.getFunction()))
    add({.instruction = &call,
         .pointer = written,
         .thread = thread,
         .mode = AccessMode::write,
         .extent = call.getDataLayout().getPointerSize()},
        points_to_.targets_of(*written));
}

void Accesses::add(const Access& access, const bitcode::Bits& targets) {
  Access made = access;
  std::set<ObjectId> objects;
  targets.for_each([&](uint32_t id) {
    const Target target = points_to_.solution().targets()[bitcode::TargetId{id}];
    const bitcode::MadeOf kind = points_to_[target.object].kind;
    if (kind == bitcode::MadeOf::function || kind == bitcode::MadeOf::constant ||
        objects_.is_confined(target.object))
      return;
    made.targets.push_back(target);
    objects.insert(target.object);
  });
  if (objects.empty()) return;
  for (ObjectId object : objects)
    by_object_[object].push_back(static_cast<AccessIndex>(accesses_.size()));
  accesses_.push_back(std::move(made));
}

namespace {

bool may_overlap(const Target& a, std::optional<uint64_t> extent_a, const Target& b,
                 std::optional<uint64_t> extent_b) {
  const uint64_t step = std::gcd(uint64_t{a.stride}, uint64_t{b.stride});
  if (step == 0) {
    if (a.offset <= b.offset) return !extent_a || b.offset < a.offset + *extent_a;
    return !extent_b || a.offset < b.offset + *extent_b;
  }
  if (!extent_a || !extent_b) return true;
  const uint64_t distance =
      ((uint64_t{b.offset} % step) + step - (uint64_t{a.offset} % step)) % step;
  return distance < *extent_a || step - distance < *extent_b;
}

}  // namespace

std::optional<std::pair<Target, Target>> overlap(const Access& a, const Access& b,
                                                 ObjectId object) {
  for (const Target& one : a.targets) {
    if (one.object != object) continue;
    for (const Target& other : b.targets)
      if (other.object == object && may_overlap(one, a.extent, other, b.extent))
        return std::pair{one, other};
  }
  return {};
}

}  // namespace foretell::static_analysis
