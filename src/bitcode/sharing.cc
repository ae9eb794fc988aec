// SPDX-License-Identifier: Apache-2.0

#include "bitcode/sharing.h"

#include <llvm/IR/Constants.h>

namespace foretell::bitcode {

using program::RunBy;
using program::Sharing;

namespace {

// The functions listed in llvm.global_ctors or llvm.global_dtors.
std::vector<const llvm::Function*> listed(const llvm::Module& module, const char* list) {
  std::vector<const llvm::Function*> functions;
  const llvm::GlobalVariable* global = module.getNamedGlobal(list);
  if (!global || !global->hasInitializer()) return functions;
  for (const llvm::Use& row : global->getInitializer()->operands())
    if (const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(row))
      if (const auto* function =
              llvm::dyn_cast<llvm::Function>(fields->getOperand(1)->stripPointerCasts()))
        functions.push_back(function);
  return functions;
}

}  // namespace

SharingAnalysis::SharingAnalysis(const llvm::Module& module, const PointsTo& points_to,
                                 bool has_foreign_code)
    : module_(module), points_to_(points_to) {
  for (const CallEdge& edge : points_to_.calls())
    callees_[edge.call->getFunction()].push_back(edge.callee);
  find_runners(has_foreign_code);
  find_touched();
  find_reachable();
  join_clones();
}

void SharingAnalysis::run_from(const llvm::Function& function, Functions& runners) {
  std::vector<const llvm::Function*> left = {&function};
  while (!left.empty()) {
    const llvm::Function* next = left.back();
    left.pop_back();
    if (!runners.insert(next).second) continue;
    const auto callees = callees_.find(next);
    if (callees != callees_.end())
      left.insert(left.end(), callees->second.begin(), callees->second.end());
  }
}

// Exit handlers run on the thread that calls exit, on the last one if the first has ended, and
// whenever code nobody can see decides to exit.
bool SharingAnalysis::others_may_exit(bool has_foreign_code) const {
  if (has_foreign_code || points_to_.ends_threads() || points_to_.assembly_uses() > 0 ||
      !points_to_.unknown_functions().empty())
    return true;
  for (const llvm::Function* function : points_to_.exiting())
    if (any_.contains(function)) return true;
  return false;
}

bool SharingAnalysis::stacks_may_move() const {
  const auto& unknown = points_to_.unknown_functions();
  return unknown.contains("swapcontext") || unknown.contains("setcontext");
}

void SharingAnalysis::find_runners(bool has_foreign_code) {
  const llvm::Function* main = module_.getFunction("main");
  for (const llvm::Function* entry : points_to_.entries()) run_from(*entry, any_);
  // A library may be loaded by any thread.
  Functions& at_start = main ? initial_ : any_;
  if (main) run_from(*main, initial_);
  for (const llvm::Function* constructor : listed(module_, "llvm.global_ctors"))
    run_from(*constructor, at_start);
  Functions& at_exit = main && !others_may_exit(has_foreign_code) ? initial_ : any_;
  for (const llvm::Function* handler : points_to_.exit_handlers()) run_from(*handler, at_exit);
  for (const llvm::Function* destructor : listed(module_, "llvm.global_dtors"))
    run_from(*destructor, at_exit);
}

void SharingAnalysis::find_touched() {
  const Solver& solution = points_to_.solution();
  touched_by_any_.resize(points_to_.objects().size());
  llvm::DenseSet<uint32_t> seen;
  for (const Touch& touch : points_to_.touches()) {
    if (!any_.contains(touch.instruction->getFunction())) continue;
    if (!seen.insert(number(solution.representative(touch.pointer))).second) continue;
    solution.targets_of(touch.pointer).for_each([&](uint32_t target) {
      touched_by_any_[number(solution.targets()[TargetId{target}].object)] = true;
    });
  }
}

void SharingAnalysis::find_reachable() {
  const Solver& solution = points_to_.solution();
  reachable_.resize(points_to_.objects().size());
  for (uint32_t i = 0; i < reachable_.size(); i++)
    escaped_.push_back(solution.has_escaped(ObjectId{i}));
  std::vector<ObjectId> left;
  const auto add = [&](const Bits& targets) {
    targets.for_each(
        [&](uint32_t target) { left.push_back(solution.targets()[TargetId{target}].object); });
  };
  add(solution.targets_of(solution.escaped()));
  for (Node pointer : points_to_.handed_over()) add(solution.targets_of(pointer));
  for (uint32_t i = 0; i < points_to_.objects().size(); i++)
    // A thread sees its own copy of a thread-local variable.
    if (points_to_.objects()[i].kind == MadeOf::global) left.push_back(ObjectId{i});
  while (!left.empty()) {
    const ObjectId object = left.back();
    left.pop_back();
    if (reachable_[number(object)]) continue;
    reachable_[number(object)] = true;
    add(solution.contents_of(object));
  }
}

// What a wrapper sees is the memory of one of its callers: what holds for it must hold for all.
void SharingAnalysis::join_clones() {
  const std::vector<AbstractObject>& objects = points_to_.objects();
  // Clones of clones have greater numbers.
  for (size_t i = objects.size(); i-- > 0;) {
    const AbstractObject& clone = objects[i];
    if (!clone.wrapper_call) continue;
    const size_t original = number(clone.cloned_from);
    // The wrapper has had it, on the caller's thread.
    if (any_.contains(clone.wrapper_call->getFunction())) touched_by_any_[i] = true;
    if (touched_by_any_[i]) touched_by_any_[original] = true;
    if (reachable_[i]) reachable_[original] = true;
    if (escaped_[i]) escaped_[original] = true;
  }
}

RunBy SharingAnalysis::run_by(const llvm::Function& function) const {
  if (any_.contains(&function)) return RunBy::any_thread;
  return initial_.contains(&function) ? RunBy::initial_thread : RunBy::nobody;
}

Sharing SharingAnalysis::of(ObjectId object) const {
  if (object == kUnknownObject || escaped_[number(object)]) return Sharing::shared;
  if (!touched_by_any_[number(object)]) return Sharing::initial_thread;
  return reachable_[number(object)] || stacks_may_move() ? Sharing::shared : Sharing::confined;
}

Sharing SharingAnalysis::of_private(const llvm::Function& function) const {
  return any_.contains(&function) ? Sharing::confined : Sharing::initial_thread;
}

}  // namespace foretell::bitcode
