// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/threads/threads.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {
namespace {

std::string source_name(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return name.substr(0, name.find(".thread")).str();
}

}  // namespace

// Not llvm::isPotentiallyReachable, which gives up after 32 blocks.
bool is_in_cycle(const llvm::Instruction& instruction) {
  const llvm::BasicBlock* block = instruction.getParent();
  if (llvm::pred_empty(block)) return false;
  llvm::DenseSet<const llvm::BasicBlock*> seen;
  std::vector<const llvm::BasicBlock*> left = {block};
  while (!left.empty()) {
    const llvm::BasicBlock* at = left.back();
    left.pop_back();
    for (const llvm::BasicBlock* next : llvm::successors(at)) {
      if (next == block) return true;
      if (seen.insert(next).second) left.push_back(next);
    }
  }
  return false;
}

Threads::Threads(const llvm::Module& module, const llvm::Function& entry,
                 const bitcode::PointsTo& points_to)
    : points_to_(points_to) {
  for (const bitcode::CallEdge& edge : points_to.calls())
    if (!edge.callee->isDeclaration()) callees_[edge.call->getFunction()].push_back(edge.callee);
  threads_.push_back({.root = &entry, .name = source_name(entry)});
  roots_.insert(&entry);
  add_functions(threads_.front());
  add_children(kMain);
  add_wild(module);
  for (size_t i = 0; i < threads_.size(); i++)
    for (const llvm::Function* function : threads_[i].functions)
      running_[function].push_back(static_cast<ThreadId>(i));
}

void Threads::add_functions(AbstractThread& thread) {
  llvm::DenseSet<const llvm::Function*> seen = {thread.root};
  thread.functions = {thread.root};
  for (size_t i = 0; i < thread.functions.size(); i++)
    for (const llvm::Function* callee : callees_[thread.functions[i]])
      if (seen.insert(callee).second) thread.functions.push_back(callee);
}

void Threads::add_children(ThreadId parent) {
  const std::vector<const llvm::Function*> functions = threads_[number(parent)].functions;
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto start = call ? thread_start(*call) : std::nullopt;
      if (!start) continue;
      const auto* root = llvm::dyn_cast<llvm::Function>(start->function->stripPointerCasts());
      // A thread of the same kind as one that led here, or one nobody can name, is wild.
      if (!root || root->isDeclaration() || !roots_.insert(root).second) continue;
      const ThreadId id = static_cast<ThreadId>(threads_.size());
      const AbstractThread& above = threads_[number(parent)];
      const bool once = above.once && function == above.root && !is_in_cycle(*call);
      threads_.push_back({.root = root,
                          .start = call,
                          .parent = parent,
                          .once = once,
                          .name = source_name(*root)});
      add_functions(threads_.back());
      threads_[number(parent)].children.push_back(id);
      started_[call].push_back(id);
      add_children(id);
    }
}

// Whatever else may begin a thread: through pointers, from code nobody sees, or again.
void Threads::add_wild(const llvm::Module& module) {
  llvm::DenseMap<const llvm::Function*, uint32_t> starts;
  // Handlers run when the process ends, whoever else is running; constructors before main.
  llvm::SetVector<const llvm::Function*> entries = points_to_.entries();
  entries.insert(points_to_.exit_handlers().begin(), points_to_.exit_handlers().end());
  for (const char* table : {"llvm.global_ctors", "llvm.global_dtors"})
    if (const llvm::GlobalVariable* global = module.getGlobalVariable(table, true);
        global && global->hasInitializer())
      for (const llvm::Use& row : global->getInitializer()->operands())
        if (const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(row))
          if (const auto* function = llvm::dyn_cast<llvm::Function>(fields->getOperand(1)))
            entries.insert(function);
  for (const llvm::Function* function : entries) {
    for (const llvm::User* user : function->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && thread_start(*call))
        starts[function]++;
    const bool known = roots_.contains(function) && starts[function] == 1 && function->hasOneUse();
    if (known) continue;
    // An original whose every use was given a copy of its own is started by nobody.
    if (function->use_empty()) continue;
    threads_.push_back(
        {.root = function, .once = false, .wild = true, .name = source_name(*function)});
    add_functions(threads_.back());
  }
}

const std::vector<ThreadId>& Threads::running(const llvm::Function& function) const {
  static const std::vector<ThreadId> nobody;
  const auto found = running_.find(&function);
  return found == running_.end() ? nobody : found->second;
}

const std::vector<ThreadId>* Threads::started_by(const llvm::CallBase& call) const {
  const auto found = started_.find(&call);
  return found == started_.end() ? nullptr : &found->second;
}

std::vector<ThreadId> Threads::family(ThreadId id) const {
  std::vector<ThreadId> members = {id};
  for (size_t i = 0; i < members.size(); i++)
    for (ThreadId child : threads_[number(members[i])].children) members.push_back(child);
  return members;
}

bool Threads::is_ancestor(ThreadId older, ThreadId younger) const {
  for (;; younger = threads_[number(younger)].parent) {
    if (younger == older) return true;
    if (younger == kMain || threads_[number(younger)].wild) return false;
  }
}

}  // namespace foretell::static_analysis
