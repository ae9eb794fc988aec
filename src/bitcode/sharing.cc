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

SharingAnalysis::SharingAnalysis(const llvm::Module& module, PointsTo& points_to,
                                 bool has_foreign_code)
    : module_(module), points_to_(points_to) {
  for (const CallEdge& edge : points_to_.calls())
    callees_[edge.call->getFunction()].push_back(edge.callee);
  find_runners(has_foreign_code);
  find_touched();
  find_reachable();
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
  const MemoryClasses& classes = points_to_.classes();
  touched_by_any_.resize(classes.size());
  for (const Touch& touch : points_to_.touches())
    if (any_.contains(touch.instruction->getFunction()))
      touched_by_any_[static_cast<size_t>(classes.find(touch.memory))] = true;
}

void SharingAnalysis::find_reachable() {
  MemoryClasses& classes = points_to_.classes();
  has_object_.resize(classes.size());
  reachable_.resize(classes.size());
  for (const Made& made : points_to_.made())
    has_object_[static_cast<size_t>(classes.find(made.memory))] = true;
  std::vector<ClassId> left = {classes.unknown()};
  for (ClassId memory : points_to_.handed_over()) left.push_back(memory);
  for (const llvm::GlobalVariable& global : module_.globals()) {
    if (global.getName().starts_with("llvm.")) continue;
    const ClassId memory = points_to_.memory_of(global);
    has_object_[static_cast<size_t>(classes.find(memory))] = true;
    // A constant holds no pointer that the program computed; a thread sees its own copy of a
    // thread-local variable.
    if (!global.isConstant() && !global.isThreadLocal()) left.push_back(memory);
  }
  while (!left.empty()) {
    const ClassId memory = classes.find(left.back());
    left.pop_back();
    if (reachable_[static_cast<size_t>(memory)]) continue;
    reachable_[static_cast<size_t>(memory)] = true;
    if (classes.has_content(memory)) left.push_back(classes.content(memory));
  }
}

RunBy SharingAnalysis::run_by(const llvm::Function& function) const {
  if (any_.contains(&function)) return RunBy::any_thread;
  return initial_.contains(&function) ? RunBy::initial_thread : RunBy::nobody;
}

Sharing SharingAnalysis::of(ClassId memory) const {
  const MemoryClasses& classes = points_to_.classes();
  const auto at = static_cast<size_t>(classes.find(memory));
  // A class without objects: nothing is known of where its pointers come from.
  if (classes.is_unknown(memory) || !has_object_[at]) return Sharing::shared;
  if (!touched_by_any_[at]) return Sharing::initial_thread;
  return reachable_[at] || stacks_may_move() ? Sharing::shared : Sharing::confined;
}

}  // namespace foretell::bitcode
