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
  for (const AbstractThread& thread : threads.all()) {
    roots_.insert(thread.root);
    functions_.insert(thread.functions.begin(), thread.functions.end());
    if (thread.once) once_.insert(thread.root);
  }
  solve_all();
  find_binary_semaphores();
  if (!binary_.empty()) solve_all();
}

void LockSets::solve_all() {
  // What a call may release, by fixpoint over calls.
  releasing_.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function* function : functions_)
      if (!releasing_.contains(function) && may_release(*function))
        changed = releasing_.insert(function).second;
  }
  for (const llvm::Function* function : functions_) solve(*function, roots_.contains(function));
}

void LockSets::set_cells(CellLocks cells) {
  cells_ = std::move(cells);
  solve_all();
}

bool LockSets::may_release(const llvm::Function& function) const {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (cells_.released_by.contains(&instruction)) return true;
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
  if (const auto released = cells_.released_by.find(&instruction);
      released != cells_.released_by.end())
    for (const HeldLock& lock : released->second) held.erase(lock);
  if (const auto acquired = cells_.acquired_by.find(&instruction);
      acquired != cells_.acquired_by.end())
    held.insert(acquired->second.begin(), acquired->second.end());
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

std::optional<TestedValue> tested_value(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  const auto* branch = dyn_cast<llvm::BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return {};
  TestedValue tested{branch->getCondition(), branch->getSuccessor(0) != &to};
  for (int depth = 0; depth < 16; depth++) {
    if (const auto* compare = dyn_cast<llvm::ICmpInst>(tested.value)) {
      const auto* constant = dyn_cast<llvm::Constant>(compare->getOperand(1));
      if (!compare->isEquality() || !constant || !constant->isNullValue()) return tested;
      // Not equal to zero is what makes the comparison true.
      if (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) tested.is_zero = !tested.is_zero;
      tested.value = compare->getOperand(0);
    } else if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::FreezeInst>(tested.value)) {
      tested.value = llvm::cast<llvm::Instruction>(tested.value)->getOperand(0);
    } else if (const auto* cut = dyn_cast<llvm::TruncInst>(tested.value)) {
      // All that a widened truth value holds is in its lowest bit.
      const auto* wide = dyn_cast<llvm::ZExtInst>(cut->getOperand(0));
      if (!wide || wide->getSrcTy()->getScalarSizeInBits() > cut->getType()->getScalarSizeInBits())
        return tested;
      tested.value = wide->getOperand(0);
    } else if (const auto* flip = dyn_cast<llvm::BinaryOperator>(tested.value);
               flip && flip->getOpcode() == llvm::Instruction::Xor &&
               flip->getType()->isIntegerTy(1) &&
               llvm::isa<llvm::ConstantInt>(flip->getOperand(1))) {
      if (!llvm::cast<llvm::ConstantInt>(flip->getOperand(1))->isZero())
        tested.is_zero = !tested.is_zero;
      tested.value = flip->getOperand(0);
    } else {
      return tested;
    }
  }
  return {};
}

// Whether nothing gives the lock away from the instruction to the end of the block.
bool LockSets::keeps_since(const llvm::Instruction& instruction, const llvm::BasicBlock& until,
                           const HeldLock& lock) const {
  const llvm::BasicBlock* block = &until;
  for (int depth = 0; depth < 16; depth++) {
    const llvm::Instruction* at = &block->back();
    for (; at && at != &instruction; at = at->getPrevNode()) {
      LockSet held = {lock};
      step(*at, held);
      if (held.empty()) return false;
    }
    if (at == &instruction) return true;
    block = block->getSinglePredecessor();
    if (!block) return false;
  }
  return false;
}

void LockSets::add_found(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                         LockSet& held) const {
  const auto add = [&](const auto& table, const llvm::Value* key) {
    const auto found = table.find(key);
    if (found != table.end() && keeps_since(*found->second.by, from, found->second.lock))
      held.insert(found->second.lock);
  };
  const auto tested = tested_value(from, to);
  if (!tested) return;
  add(tested->is_zero ? cells_.zero : cells_.nonzero, tested->value);
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(tested->value)) {
    // A comparison with something that is not zero.
    const bool is_equality = compare->getPredicate() == llvm::CmpInst::ICMP_EQ;
    if (compare->isEquality() && is_equality != tested->is_zero) add(cells_.equal, compare);
  }
}

LockSet LockSets::leaving(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                          const Blocks& blocks) const {
  const auto known = blocks.find(&from);
  LockSet held = known == blocks.end() ? LockSet{} : known->second;
  for (const llvm::Instruction& instruction : from) step(instruction, held);
  add_tried(from, to, held);
  add_found(from, to, held);
  return held;
}

void LockSets::add_chosen(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                          const Blocks& blocks, LockSet& held) const {
  const auto tested = tested_value(from, to);
  if (!tested) return;
  const auto* choice = dyn_cast<llvm::PHINode>(tested->value);
  const llvm::Constant* compared = nullptr;
  bool equal = tested->is_zero;
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(tested->value);
      compare && compare->isEquality()) {
    choice = dyn_cast<llvm::PHINode>(compare->getOperand(0));
    compared = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (!compared) return;
    equal = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) != tested->is_zero;
  }
  if (!choice) return;
  // From where the choice was made, straight to the branch.
  std::vector<const llvm::BasicBlock*> way = {&from};
  while (way.back() != choice->getParent()) {
    const llvm::BasicBlock* before = way.back()->getSinglePredecessor();
    if (!before || way.size() > 8) return;
    way.push_back(before);
  }
  std::optional<LockSet> common;
  bool is_split = false;
  for (unsigned i = 0; i < choice->getNumIncomingValues(); i++) {
    const auto* constant = dyn_cast<llvm::ConstantInt>(choice->getIncomingValue(i));
    if (constant) {
      const bool is_same = compared ? constant == compared : constant->isZero();
      if (is_same != equal) {
        is_split = true;
        continue;
      }
    }
    const llvm::BasicBlock& came_from = *choice->getIncomingBlock(i);
    // What was not reached yet says nothing yet.
    if (!blocks.contains(&came_from)) continue;
    const LockSet there = leaving(came_from, *choice->getParent(), blocks);
    if (!common)
      common = there;
    else
      std::erase_if(*common, [&](const HeldLock& one) { return !there.contains(one); });
  }
  if (!is_split || !common) return;
  // Registers may have changed: those locks are left to the rules for branches.
  std::erase_if(*common, [](const HeldLock& one) { return one.kind == HeldLock::Kind::address; });
  for (size_t i = way.size(); i-- > 0;)
    for (const llvm::Instruction& instruction : *way[i]) step(instruction, *common);
  held.insert(common->begin(), common->end());
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
  // Where a choice was made may be far from where it is looked at: until nothing changes.
  bool changed = false;
  const auto next_block = [&]() -> const llvm::BasicBlock* {
    if (left.empty() && changed) {
      changed = false;
      for (const auto& [block, held] : blocks) left.push_back(block);
    }
    if (left.empty()) return nullptr;
    const llvm::BasicBlock* block = left.front();
    left.pop_front();
    return block;
  };
  while (const llvm::BasicBlock* block = next_block()) {
    LockSet held = blocks[block];
    for (const llvm::Instruction& instruction : *block) step(instruction, held);
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      LockSet out = held;
      add_tried(*block, *next, out);
      add_found(*block, *next, out);
      add_chosen(*block, *next, blocks, out);
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
      changed = true;
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
