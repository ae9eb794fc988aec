// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/sync/lock_sets.h"

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <deque>

#include "static_analysis/preparation/prepare.h"

namespace foretell::static_analysis {

using bitcode::Target;
using llvm::dyn_cast;

Address address_of(const llvm::Value& pointer, const llvm::DataLayout& layout) {
  Address address{.base = &pointer};
  for (int depth = 0; depth < 64; depth++) {
    if (const auto* step = dyn_cast<llvm::GEPOperator>(address.base)) {
      const unsigned bits = layout.getIndexTypeSizeInBits(step->getType());
      llvm::MapVector<llvm::Value*, llvm::APInt> variable;
      llvm::APInt constant(bits, 0);
      if (!step->collectOffset(layout, bits, variable, constant)) break;
      address.constant += constant.getSExtValue();
      for (const auto& [value, factor] : variable)
        address.terms.emplace_back(value, factor.getSExtValue());
      address.base = step->getPointerOperand();
    } else if (const auto* cast = dyn_cast<llvm::BitCastOperator>(address.base)) {
      address.base = cast->getOperand(0);
    } else {
      break;
    }
  }
  std::ranges::sort(address.terms);
  return address;
}

LockSets::LockSets(const Threads& threads, const Objects& objects) : objects_(objects) {
  std::set<const llvm::Function*> roots, functions;
  for (const AbstractThread& thread : threads.all()) {
    roots.insert(thread.root);
    functions.insert(thread.functions.begin(), thread.functions.end());
    if (thread.once) once_.insert(thread.root);
  }
  // What a call may release, by fixpoint over calls.
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function* function : functions)
      if (!releasing_.contains(function) && may_release(*function))
        changed = releasing_.insert(function).second;
  }
  for (const llvm::Function* function : functions) solve(*function, roots.contains(function));
  find_binary_semaphores();
  if (!binary_.empty())
    for (const llvm::Function* function : functions) solve(*function, roots.contains(function));
}

bool LockSets::may_release(const llvm::Function& function) const {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    const auto operation = lock_operation(*call);
    if (operation && operation->action == LockAction::release) return true;
    if (const auto semaphore = semaphore_operation(*call);
        semaphore && semaphore->action != SemaphoreAction::wait)
      return true;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee && !call->isInlineAsm()) return true;
    if (callee && releasing_.contains(callee)) return true;
  }
  return false;
}

void LockSets::acquire(const LockOperation& operation, LockSet& held) const {
  HeldLock lock{.mode = operation.mode, .pointer = operation.lock};
  if (!operation.lock) {
    lock.kind = HeldLock::Kind::atomic_section;
    held.insert(lock);
    return;
  }
  if (const auto target = objects_.single_target(*operation.lock)) {
    lock.kind = HeldLock::Kind::place;
    lock.object = target->object;
    lock.offset = target->offset;
    held.insert(lock);
  }
  const auto* inside = dyn_cast<llvm::Instruction>(operation.lock);
  const auto* argument = dyn_cast<llvm::Argument>(operation.lock);
  if (!inside && !argument) return;
  lock.kind = HeldLock::Kind::address;
  lock.object = {};
  lock.offset = 0;
  lock.address = address_of(
      *operation.lock,
      (inside ? inside->getFunction() : argument->getParent())->getParent()->getDataLayout());
  held.insert(lock);
}

void LockSets::release(const llvm::Value* lock, LockSet& held) const {
  if (!lock) {
    std::erase_if(held,
                  [](const HeldLock& one) { return one.kind == HeldLock::Kind::atomic_section; });
    return;
  }
  const auto place = objects_.single_target(*lock);
  std::erase_if(held, [&](const HeldLock& one) {
    if (one.kind == HeldLock::Kind::atomic_section) return false;
    if (one.kind == HeldLock::Kind::place && place)
      return one.object == place->object && one.offset == place->offset;
    return one.pointer == lock || objects_.may_meet(*one.pointer, *lock);
  });
}

void LockSets::step(const llvm::Instruction& instruction, LockSet& held) const {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return;
  if (const auto operation = lock_operation(*call)) {
    if (operation->action == LockAction::acquire) acquire(*operation, held);
    if (operation->action == LockAction::release) release(operation->lock, held);
    return;
  }
  if (const auto semaphore = semaphore_operation(*call)) {
    const auto place = objects_.single_target(*semaphore->semaphore);
    if (semaphore->action == SemaphoreAction::wait && place &&
        binary_.contains({place->object, place->offset}))
      acquire({LockAction::acquire, LockMode::exclusive, semaphore->semaphore}, held);
    else if (semaphore->action != SemaphoreAction::wait)
      release(semaphore->semaphore, held);
    return;
  }
  const llvm::Function* callee = call->getCalledFunction();
  // Whoever gets a function may call it.
  const bool calls_back = callee && callee->isDeclaration() && !is_synchronization(*call) &&
                          llvm::any_of(call->args(), [](const llvm::Use& argument) {
                            return llvm::isa<llvm::Function>(argument);
                          });
  const bool is_once =
      callee && (callee->getName() == "pthread_once" || callee->getName() == "call_once");
  const bool is_unknown = (!callee && !call->isInlineAsm()) || calls_back || is_once;
  if (is_unknown || (callee && releasing_.contains(callee))) held.clear();
}

// `if (trylock(&m) == 0)`, with the comparison in any form the compiler gives it.
void LockSets::add_tried(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                         LockSet& held) const {
  const auto* branch = dyn_cast<llvm::BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return;
  const bool taken = branch->getSuccessor(0) == &to;
  const auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare) return;
  const auto* call = dyn_cast<llvm::CallBase>(compare->getOperand(0));
  const auto* constant = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  if (!call || !constant || call->getFunction() != from.getParent()) return;
  const auto operation = lock_operation(*call);
  if (!operation || operation->action != LockAction::try_acquire || !constant->isZero()) return;
  const bool equal = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) == taken;
  const bool decided = compare->getPredicate() == llvm::CmpInst::ICMP_EQ ||
                       compare->getPredicate() == llvm::CmpInst::ICMP_NE;
  // Between the try and the branch nothing is released: they are in one block.
  if (decided && equal && call->getParent() == &from) {
    bool last = true;
    for (const llvm::Instruction* at = call->getNextNode(); at; at = at->getNextNode())
      if (const auto* other = dyn_cast<llvm::CallBase>(at))
        if (const auto one = lock_operation(*other); one && one->action == LockAction::release)
          last = false;
    if (last) acquire(*operation, held);
  }
}

void LockSets::solve(const llvm::Function& function, bool) {
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(dominators);
  // A cycle that is no loop may change registers unseen.
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  const bool has_hidden_cycles =
      llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops);
  Blocks blocks;
  std::deque<const llvm::BasicBlock*> left = {&function.getEntryBlock()};
  blocks[left.front()] = {};
  while (!left.empty()) {
    const llvm::BasicBlock* block = left.front();
    left.pop_front();
    LockSet held = blocks[block];
    for (const llvm::Instruction& instruction : *block) step(instruction, held);
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      LockSet out = held;
      add_tried(*block, *next, out);
      if (has_hidden_cycles)
        std::erase_if(out, [](const HeldLock& one) { return one.kind == HeldLock::Kind::address; });
      // Registers of a loop change when it begins another round, or is entered again.
      const llvm::Loop* loop = loops.getLoopFor(next);
      if (loop && loop->getHeader() == next)
        std::erase_if(out, [&](const HeldLock& one) {
          const auto varies = [&](const llvm::Value* value) {
            const auto* made = dyn_cast<llvm::Instruction>(value);
            return made && loop->contains(made);
          };
          return one.kind == HeldLock::Kind::address &&
                 (varies(one.address.base) ||
                  std::ranges::any_of(one.address.terms,
                                      [&](const auto& term) { return varies(term.first); }));
        });
      const auto [known, added] = blocks.try_emplace(next, out);
      if (!added) {
        const size_t before = known->second.size();
        std::erase_if(known->second, [&](const HeldLock& one) { return !out.contains(one); });
        if (known->second.size() == before) continue;
      }
      left.push_back(next);
    }
  }
  for (auto& [block, held] : blocks)
    for (const llvm::Instruction& instruction : *block) {
      if (instruction.mayReadOrWriteMemory()) at_[&instruction] = held;
      step(instruction, held);
    }
}

// A semaphore is a lock if it begins at one and every post is by a thread that has waited.
void LockSets::find_binary_semaphores() {
  struct Uses {
    int inits = 0;
    bool others = false;
    std::vector<const llvm::CallBase*> posts;
  };
  std::map<std::pair<bitcode::ObjectId, uint32_t>, Uses> places;
  std::vector<const llvm::Value*> vague;
  for (const auto& [instruction, held] : at_) {
    const auto* call = dyn_cast<llvm::CallBase>(instruction);
    const auto semaphore = call ? semaphore_operation(*call) : std::nullopt;
    if (!semaphore) continue;
    const auto place = objects_.single_target(*semaphore->semaphore);
    if (!place) {
      vague.push_back(semaphore->semaphore);
      continue;
    }
    Uses& uses = places[{place->object, place->offset}];
    if (semaphore->action == SemaphoreAction::post) uses.posts.push_back(call);
    if (semaphore->action == SemaphoreAction::other)
      uses.others |= call->getCalledFunction()->getName() != "sem_destroy";
    if (semaphore->action != SemaphoreAction::init) continue;
    const auto* value = dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
    const bool once = once_.contains(call->getFunction()) && !is_in_cycle(*call);
    uses.inits += value && value->isOne() && once ? 1 : 2;
  }
  if (!vague.empty()) return;
  for (auto& [place, uses] : places)
    if (uses.inits == 1 && !uses.others) binary_.insert(place);
  // Optimistic at first: a post without the lock shows that it is none, for this one and then
  // perhaps for others.
  for (bool changed = !binary_.empty(); changed;) {
    changed = false;
    std::set<const llvm::Function*> functions;
    for (const auto& [instruction, held] : at_) functions.insert(instruction->getFunction());
    for (const llvm::Function* function : functions) solve(*function, true);
    for (auto& [place, uses] : places)
      for (const llvm::CallBase* post : uses.posts) {
        const LockSet& held = at(*post);
        const bool has = std::ranges::any_of(held, [&](const HeldLock& one) {
          return one.kind == HeldLock::Kind::place && one.object == place.first &&
                 one.offset == place.second;
        });
        if (!has) changed |= binary_.erase(place) > 0;
      }
  }
}

const LockSet& LockSets::at(const llvm::Instruction& instruction) const {
  static const LockSet none;
  const auto found = at_.find(&instruction);
  return found == at_.end() ? none : found->second;
}

std::string LockSets::name_of(const HeldLock& lock) const {
  switch (lock.kind) {
    case HeldLock::Kind::atomic_section:
      return "an atomic section";
    case HeldLock::Kind::place:
      return "'" + objects_.name_of({lock.object, lock.offset, 0}) + "'";
    case HeldLock::Kind::address:
      return "a lock found by a pointer";
  }
  return "";
}

}  // namespace foretell::static_analysis
