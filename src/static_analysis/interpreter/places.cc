// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/interpreter/places.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <numeric>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis::interpreter {

using bitcode::MadeOf;
using bitcode::ObjectId;
using bitcode::Target;
using llvm::dyn_cast;
using program::AccessKind;

namespace {

constexpr uint64_t kMaxElements = 4096;  // whose initial values are joined

llvm::Type* accessed_type(const llvm::Instruction& instruction) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return load->getType();
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction))
    return store->getValueOperand()->getType();
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return update->getType();
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return exchange->getCompareOperand()->getType();
  return nullptr;
}

Access as_access(const Target& target, uint64_t extent) {
  Access access{.targets = {target}};
  if (extent != 0) access.extent = extent;
  return access;
}

}  // namespace

Places::Places(const PairRules& rules) : rules_(rules) {
  Shapes shapes;
  collect(shapes);
  for (auto& [object, all] : shapes) cut(object, all);
}

void Places::collect(Shapes& shapes) {
  std::set<const llvm::Function*> functions;
  for (const AbstractThread& thread : rules_.threads.all())
    functions.insert(thread.functions.begin(), thread.functions.end());
  for (const bitcode::Touch& touch : rules_.points_to.touches()) {
    const llvm::Instruction& at = *touch.instruction;
    if (!functions.contains(at.getFunction())) continue;
    const auto* call = dyn_cast<llvm::CallBase>(&at);
    if (call && is_synchronization(*call)) continue;
    llvm::Type* type = accessed_type(at);
    const uint64_t extent = type ? at.getDataLayout().getTypeStoreSize(type).getKnownMinValue() : 0;
    add(shapes, rules_.points_to.solution().targets_of(touch.pointer), extent, type, at,
        touch.kind);
  }
  // Handles and results of threads.
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      const llvm::Value* written = nullptr;
      if (const auto start = thread_start(*call)) written = start->handle;
      if (joined_handle(*call) && call->getArgOperand(1)->getType()->isPointerTy())
        written = call->getArgOperand(1);
      if (written && !llvm::isa<llvm::ConstantPointerNull>(written))
        add(shapes, rules_.points_to.targets_of(*written), 0, nullptr, *call, AccessKind::write);
    }
}

void Places::add(Shapes& shapes, const bitcode::Bits& targets, uint64_t extent, llvm::Type* type,
                 const llvm::Instruction& by, AccessKind kind) {
  targets.for_each([&](uint32_t id) {
    const Target target = rules_.points_to.solution().targets()[bitcode::TargetId{id}];
    if (target.object == bitcode::kUnknownObject) {
      if (kind == AccessKind::read)
        touched_[&by].reads_unknown = true;
      else
        unknown_is_written_ = true;
      return;
    }
    if (rules_.points_to[target.object].kind == MadeOf::function) return;
    std::vector<Shape>& all = shapes[target.object];
    auto known = std::ranges::find_if(
        all, [&](const Shape& one) { return one.target == target && one.extent == extent; });
    if (known == all.end()) known = all.insert(all.end(), Shape{target, extent, {}, false, {}});
    if (!type)
      known->is_opaque = true;
    else if (!llvm::is_contained(known->types, type))
      known->types.push_back(type);
    known->by.emplace_back(&by, kind);
  });
}

void Places::cut(ObjectId object, std::vector<Shape>& shapes) {
  std::vector<size_t> group(shapes.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  for (size_t i = 0; i < shapes.size(); i++)
    for (size_t j = i + 1; j < shapes.size(); j++)
      if (overlap(as_access(shapes[i].target, shapes[i].extent),
                  as_access(shapes[j].target, shapes[j].extent), object))
        group[root(j)] = root(i);
  std::map<size_t, PlaceId> ids;
  for (size_t i = 0; i < shapes.size(); i++) {
    const Shape& shape = shapes[i];
    const auto [id, added] = ids.try_emplace(root(i), PlaceId(places_.size()));
    if (added) {
      places_.push_back({.target = shape.target,
                         .targets = {},
                         .extent = shape.extent,
                         .type = shape.types.empty() ? nullptr : shape.types.front(),
                         .is_typed = true,
                         .is_exact = true,
                         .is_confined = rules_.objects.is_confined(object)});
      of_object_[object].push_back(id->second);
    }
    MemoryPlace& place = places_[number(id->second)];
    place.targets.push_back(shape.target);
    const uint64_t size = place.extent;
    const uint64_t step = shape.target.stride;
    place.is_typed = place.is_typed && !shape.is_opaque && shape.types.size() == 1 &&
                     shape.types.front() == place.type && size != 0 && shape.extent == size &&
                     step % size == 0 && shape.target.offset % size == place.target.offset % size;
    place.is_exact = place.is_exact && place.targets.size() == 1 && step == 0 &&
                     rules_.objects.is_single(object);
    for (const auto& [by, kind] : shape.by) {
      Touched& touched = touched_[by];
      if (kind != AccessKind::write && !llvm::is_contained(touched.reads, id->second))
        touched.reads.push_back(id->second);
      if (kind != AccessKind::read && !llvm::is_contained(touched.writes, id->second))
        touched.writes.push_back(id->second);
    }
  }
  const bool is_wild = unknown_is_written_ && rules_.points_to.solution().has_escaped(object);
  for (const PlaceId id : of_object_[object]) {
    MemoryPlace& place = places_[number(id)];
    place.is_typed = place.is_typed && !is_wild && !Value::top_of(*place.type).is_nothing() &&
                     Value::top_of(*place.type) != Value();
    place.is_exact = place.is_exact && place.is_typed;
    if (place.is_typed) place.initial = initial_of(place);
  }
}

Value Places::initial_of(const MemoryPlace& place) const {
  const Value anything = Value::top_of(*place.type);
  const bitcode::AbstractObject& object = rules_.points_to[place.target.object];
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.value);
  if (!global || !global->hasInitializer()) return anything;
  const llvm::DataLayout& layout = global->getParent()->getDataLayout();
  const uint64_t size = layout.getTypeAllocSize(global->getValueType());
  auto& first = const_cast<llvm::Constant&>(*global->getInitializer());
  Value all = Value::nothing_of(*place.type);
  for (const Target& target : place.targets) {
    const uint64_t step = target.stride;
    if (step != 0 && size / step > kMaxElements && !first.isNullValue()) return anything;
    uint64_t offset = step == 0 ? target.offset : target.offset % step;
    do {
      if (offset + place.extent > size) break;
      const llvm::Constant* one =
          llvm::ConstantFoldLoadFromConst(&first, place.type, llvm::APInt(64, offset), layout);
      if (!one) return anything;
      all = all.join(Value::of(*one));
      offset += step;
    } while (step != 0 && !first.isNullValue());
  }
  return all;
}

const Touched& Places::touched_by(const llvm::Instruction& instruction) const {
  static const Touched kNothing;
  const auto found = touched_.find(&instruction);
  return found == touched_.end() ? kNothing : found->second;
}

std::vector<PlaceId> Places::overlapping(const Access& access, ObjectId object) const {
  std::vector<PlaceId> found;
  const auto known = of_object_.find(object);
  if (known == of_object_.end()) return found;
  for (const PlaceId id : known->second)
    for (const Target& target : places_[number(id)].targets)
      if (overlap(access, as_access(target, places_[number(id)].extent), object)) {
        found.push_back(id);
        break;
      }
  return found;
}

}  // namespace foretell::static_analysis::interpreter
