// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/sync/objects.h"

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "bitcode/promotion.h"
#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using bitcode::AbstractObject;
using bitcode::MadeOf;
using bitcode::ObjectId;
using bitcode::Target;
using bitcode::TargetId;
using llvm::dyn_cast;

Objects::Objects(const Threads& threads, const bitcode::PointsTo& points_to)
    : points_to_(points_to),
      single_(points_to.objects().size()),
      reachable_(points_to.objects().size()) {
  find_single(threads);
  find_reachable(threads);
}

void Objects::find_single(const Threads& threads) {
  for (size_t i = 0; i < single_.size(); i++) {
    const AbstractObject& object = points_to_.objects()[i];
    switch (object.kind) {
      case MadeOf::global:
      case MadeOf::constant:
        single_[i] = true;
        break;
      case MadeOf::stack:
      case MadeOf::heap: {
        const auto* made = llvm::dyn_cast_or_null<llvm::Instruction>(object.value);
        if (!made || object.wrapper_call) break;
        const auto& running = threads.running(*made->getFunction());
        if (running.size() != 1) break;
        const AbstractThread& thread = threads[running.front()];
        single_[i] = thread.once && made->getFunction() == thread.root && !is_in_cycle(*made);
        break;
      }
      case MadeOf::unknown:
      case MadeOf::function:
      case MadeOf::hidden:
      case MadeOf::thread_local_variable:
        break;
    }
  }
}

// What two threads can get hold of: globals, what threads are given and return, what has escaped;
// and all that these lead to.
void Objects::find_reachable(const Threads&) {
  const bitcode::Solver& solution = points_to_.solution();
  std::vector<ObjectId> left;
  const auto reach = [&](ObjectId id) {
    if (reachable_[number(id)]) return;
    reachable_[number(id)] = true;
    left.push_back(id);
  };
  const auto reach_targets = [&](const bitcode::Bits& targets) {
    targets.for_each([&](uint32_t id) { reach(solution.targets()[TargetId{id}].object); });
  };
  for (size_t i = 0; i < reachable_.size(); i++) {
    const MadeOf kind = points_to_.objects()[i].kind;
    if (kind == MadeOf::global || kind == MadeOf::constant || kind == MadeOf::unknown ||
        kind == MadeOf::hidden || solution.has_escaped(ObjectId(i)))
      reach(ObjectId(i));
  }
  for (bitcode::Node node : points_to_.handed_over()) reach_targets(solution.targets_of(node));
  reach_targets(solution.targets_of(solution.escaped()));
  reach_targets(solution.targets_of(points_to_.thread_result()));
  while (!left.empty()) {
    const ObjectId id = left.back();
    left.pop_back();
    reach_targets(solution.contents_of(id));
  }
}

std::optional<Target> Objects::single_target(const llvm::Value& pointer) const {
  const bitcode::Bits& set = points_to_.targets_of(pointer);
  if (set.count() != 1) return {};
  Target target;
  set.for_each([&](uint32_t id) { target = points_to_.solution().targets()[TargetId{id}]; });
  if (target.stride != 0 || !is_single(target.object)) return {};
  return target;
}

bool Objects::may_meet(const llvm::Value& a, const llvm::Value& b) const {
  const auto& targets = points_to_.solution().targets();
  std::set<ObjectId> of_a;
  bool meet = false;
  points_to_.targets_of(a).for_each(
      [&](uint32_t id) { of_a.insert(targets[TargetId{id}].object); });
  points_to_.targets_of(b).for_each(
      [&](uint32_t id) { meet |= of_a.contains(targets[TargetId{id}].object); });
  return meet || of_a.contains(bitcode::kUnknownObject) || of_a.empty() ||
         points_to_.targets_of(b).empty() ||
         points_to_.targets_of(b).contains(number(bitcode::kUnknownTarget));
}

std::string Objects::name_of(const Target& target) const {
  const AbstractObject& object = points_to_[target.object];
  std::string name = "memory";
  if (const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.value))
    name = global->getName().str();
  else if (const auto* slot = llvm::dyn_cast_or_null<llvm::AllocaInst>(object.value)) {
    name = bitcode::name_of(*slot);
    if (name.empty()) name = slot->getName().split('.').first.str();
    if (name.empty()) name = "local variable";
  } else if (const auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(object.value)) {
    const llvm::DebugLoc& at = call->getDebugLoc();
    name = at ? fmt::format("memory allocated at line {}", at.getLine()) : "allocated memory";
  } else if (object.kind == MadeOf::unknown) {
    return "memory nobody can name";
  }
  if (target.stride != 0) return name + "[..]";
  return target.offset == 0 ? name : fmt::format("{}+{}", name, target.offset);
}

}  // namespace foretell::static_analysis
