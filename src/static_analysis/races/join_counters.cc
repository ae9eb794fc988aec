// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/join_counters.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {
namespace {

using bitcode::Target;
using llvm::dyn_cast;

// Whether control can go from behind an instruction, or from the beginning, to another without passing any of
// the third kind.
bool passes_by(const llvm::Instruction& from, bool inclusive, const llvm::Instruction& to,
               const std::set<const llvm::Instruction*>& without) {
  std::set<const llvm::BasicBlock*> seen;
  std::vector<const llvm::Instruction*> left;
  const llvm::Instruction* first = inclusive ? &from : from.getNextNode();
  const auto enter = [&](const llvm::BasicBlock& block) {
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      if (seen.insert(next).second) left.push_back(&next->front());
  };
  if (first)
    left.push_back(first);
  else
    enter(*from.getParent());
  while (!left.empty()) {
    const llvm::Instruction* at = left.back();
    left.pop_back();
    while (at != &to && !without.contains(at) && at->getNextNode()) at = at->getNextNode();
    if (at == &to) return true;
    if (!without.contains(at)) enter(*at->getParent());
  }
  return false;
}

}  // namespace

JoinCounters::JoinCounters(const PairRules& rules) : rules_(rules) {
  std::set<std::pair<bitcode::ObjectId, uint32_t>> seen;
  for (const auto& [object, indexes] : rules.accesses.by_object())
    for (AccessIndex index : indexes) {
      const Access& write = rules.accesses[index];
      if (write.mode == AccessMode::read || write.thread == kMain || !write.pointer ||
          !write.extent || rules.threads[write.thread].wild)
        continue;
      const auto cell = rules.objects.single_target(*write.pointer);
      if (!cell || !seen.insert({cell->object, cell->offset}).second) continue;
      if (amount_of(*write.instruction, *cell)) add_counter(*cell, write);
    }
}

std::optional<int64_t> JoinCounters::amount_of(const llvm::Instruction& write,
                                               const Target& cell) const {
  const llvm::Value* pointer = nullptr;
  std::optional<int64_t> amount;
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&write)) {
    const auto* number = dyn_cast<llvm::ConstantInt>(update->getValOperand());
    const bool adds = update->getOperation() == llvm::AtomicRMWInst::Add;
    if (!number || (!adds && update->getOperation() != llvm::AtomicRMWInst::Sub) ||
        !llvm::isReleaseOrStronger(update->getOrdering()))
      return {};
    amount = adds ? number->getSExtValue() : -number->getSExtValue();
    pointer = update->getPointerOperand();
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&write); store && !store->isAtomic()) {
    // `x = x + 1`, with nothing between that gives a lock away.
    const auto* sum = dyn_cast<llvm::BinaryOperator>(store->getValueOperand());
    const auto* number = sum ? dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
    const auto* load = sum ? dyn_cast<llvm::LoadInst>(sum->getOperand(0)) : nullptr;
    if (!number || !load || load->isAtomic() || load->getParent() != store->getParent() ||
        load->getPointerOperand() != store->getPointerOperand())
      return {};
    for (const llvm::Instruction* at = load->getNextNode(); at != store; at = at->getNextNode())
      if (!at || llvm::isa<llvm::CallBase>(at) || at->mayWriteToMemory() != at->mayReadFromMemory())
        return {};
    if (sum->getOpcode() == llvm::Instruction::Add) amount = number->getSExtValue();
    if (sum->getOpcode() == llvm::Instruction::Sub) amount = -number->getSExtValue();
    pointer = store->getPointerOperand();
  }
  const auto target = pointer ? rules_.objects.single_target(*pointer) : std::nullopt;
  return target && *target == cell ? amount : std::nullopt;
}

// All changes of the cell are sums; or it is zero, and nothing else was written before.
void JoinCounters::add_counter(const Target& cell, const Access& like) {
  const auto* global =
      llvm::dyn_cast_or_null<llvm::GlobalVariable>(rules_.points_to[cell.object].value);
  if (!global || !global->hasDefinitiveInitializer() || cell.stride != 0) return;
  auto* integer =
      llvm::IntegerType::get(global->getContext(), static_cast<unsigned>(*like.extent) * 8);
  const llvm::APInt offset(global->getDataLayout().getIndexSizeInBits(0), cell.offset);
  const llvm::Constant* initial =
      llvm::ConstantFoldLoadFromConst(const_cast<llvm::Constant*>(global->getInitializer()),
                                      integer, offset, global->getDataLayout());
  if (!initial || !initial->isNullValue() || *like.extent < 4) return;
  Counter counter{.cell = cell, .changes = {}};
  const Access whole{.extent = like.extent, .targets = {cell}};
  for (AccessIndex index : rules_.accesses.by_object().at(cell.object)) {
    const Access& write = rules_.accesses[index];
    if (write.mode == AccessMode::read || !overlap(write, whole, cell.object)) continue;
    const auto amount = amount_of(*write.instruction, cell);
    if (!amount || write.extent != like.extent) {
      // Zero, before anybody counts.
      const auto* store = dyn_cast<llvm::StoreInst>(write.instruction);
      const auto* value = store ? dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
      const AbstractThread& main = rules_.threads[kMain];
      if (!value || !value->isZero() || write.thread != kMain ||
          store->getFunction() != main.root || is_in_cycle(*store) || write.extent != like.extent)
        return;
      for (ThreadId child : main.children)
        if (rules_.threads[child].start->getFunction() != main.root ||
            passes_by(*rules_.threads[child].start, false, *store, {}))
          return;
      for (AccessIndex other : rules_.accesses.by_object().at(cell.object))
        if (const Access& one = rules_.accesses[other];
            one.thread == kMain && one.mode != AccessMode::read && one.instruction != store &&
            (one.instruction->getFunction() != main.root ||
             passes_by(*one.instruction, false, *store, {})))
          return;
      continue;
    }
    counter.changes.push_back({write.instruction, write.thread, *amount});
  }
  if (!change_in_turn(counter)) return;
  // Every kind of thread that counts is started by one thread, and counts once.
  std::optional<ThreadId> parent;
  std::set<ThreadId> children;
  for (const Change& change : counter.changes) {
    if (parent && change.thread == *parent) continue;
    const AbstractThread& thread = rules_.threads[change.thread];
    const bool is_starter = std::ranges::any_of(counter.changes, [&](const Change& other) {
      return other.thread != change.thread && rules_.threads[other.thread].start &&
             rules_.threads[other.thread].parent == change.thread;
    });
    if (is_starter) continue;
    if (!thread.start || thread.wild || change.write->getFunction() != thread.root ||
        is_in_cycle(*change.write) || !children.insert(change.thread).second)
      return;
    if (parent && *parent != thread.parent) return;
    parent = thread.parent;
  }
  if (!parent || !rules_.threads[*parent].once || children.empty()) return;
  const llvm::Function* starter = rules_.threads[*parent].root;
  bool down = true, up = true;
  for (const Change& change : counter.changes) {
    const bool by_child = children.contains(change.thread);
    if (!by_child && (change.thread != *parent || change.write->getFunction() != starter)) return;
    down &= change.amount == (by_child ? -1 : 1);
    up &= by_child && change.amount == 1;
  }
  for (ThreadId child : children)
    if (rules_.threads[child].start->getFunction() != starter) return;
  if (down && starts_are_counted(counter)) {
    add_tests(counter, *parent, nullptr);
  } else if (up && children.size() == 1) {
    if (const llvm::SCEV* rounds = rounds_of(rules_.threads[*children.begin()]))
      add_tests(counter, *parent, rounds);
  }
}

// No change is lost: all are atomic, or all are made under one lock.
bool JoinCounters::change_in_turn(const Counter& counter) const {
  std::optional<LockSet> common;
  size_t atomic = 0;
  for (const Change& change : counter.changes) {
    if (change.write->isAtomic()) {
      atomic++;
      continue;
    }
    const LockSet& held = rules_.locks.at(*change.write);
    if (!common) common = held;
    std::erase_if(*common, [&](const HeldLock& one) {
      return one.kind == HeldLock::Kind::address || one.mode != LockMode::exclusive ||
             !held.contains(one);
    });
  }
  return atomic == counter.changes.size() || (atomic == 0 && common && !common->empty());
}

// Before each start one is added, for it alone.
bool JoinCounters::starts_are_counted(const Counter& counter) const {
  std::set<const llvm::Instruction*> counts;
  std::set<const llvm::Instruction*> starts;
  for (const Change& change : counter.changes) {
    if (change.amount > 0)
      counts.insert(change.write);
    else
      starts.insert(rules_.threads[change.thread].start);
  }
  for (const llvm::Instruction* start : starts) {
    const llvm::Instruction& entry = start->getFunction()->getEntryBlock().front();
    if (passes_by(entry, true, *start, counts)) return false;
    for (const llvm::Instruction* other : starts)
      if (passes_by(*other, false, *start, counts)) return false;
  }
  return true;
}

// How many threads a loop starts, if it is executed once and starts one in each round.
const llvm::SCEV* JoinCounters::rounds_of(const AbstractThread& thread) const {
  LoopAnalyses& analyses = analyses_.of(*thread.start->getFunction());
  const llvm::BasicBlock* block = thread.start->getParent();
  const llvm::Loop* loop = analyses.loops.getLoopFor(block);
  if (!loop || loop->getParentLoop() || !loop->getLoopLatch() || !loop->getExitingBlock() ||
      !analyses.dominators.dominates(block, loop->getLoopLatch()) ||
      analyses.dominators.dominates(block, loop->getExitingBlock()))
    return nullptr;
  for (const llvm::BasicBlock* before : llvm::predecessors(loop->getHeader()))
    if (!loop->contains(before) && is_in_cycle(*before->getTerminator())) return nullptr;
  const llvm::SCEV* rounds = analyses.evolution.getBackedgeTakenCount(loop);
  return llvm::isa<llvm::SCEVCouldNotCompute>(rounds) ? nullptr : rounds;
}

// Where control goes only if nobody is left.
void JoinCounters::add_tests(const Counter& counter, ThreadId parent, const llvm::SCEV* started) {
  const llvm::Function& starter = *rules_.threads[parent].root;
  llvm::ScalarEvolution& evolution = analyses_.of(starter).evolution;
  const auto is_all = [&](const llvm::Value& value) {
    if (!started) {
      const auto* number = dyn_cast<llvm::ConstantInt>(&value);
      return number && number->isZero();
    }
    const llvm::SCEV* number = evolution.getSCEV(const_cast<llvm::Value*>(&value));
    if (number->getType() != started->getType()) return false;
    // A loop up to a number below zero starts nothing.
    return number == started ||
           started == evolution.getSMaxExpr(evolution.getZero(number->getType()), number);
  };
  for (const llvm::BasicBlock& block : starter) {
    const auto* branch = dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    const auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    const auto* load = compare ? dyn_cast<llvm::LoadInst>(compare->getOperand(0)) : nullptr;
    if (!load || (load->isAtomic() && !llvm::isAcquireOrStronger(load->getOrdering()))) continue;
    const auto target = rules_.objects.single_target(*load->getPointerOperand());
    if (!target || !(*target == counter.cell) || !is_all(*compare->getOperand(1))) continue;
    for (unsigned side = 0; side < 2; side++) {
      const llvm::BasicBlock* to = branch->getSuccessor(side);
      if (to->getSinglePredecessor() != &block) continue;
      const llvm::CmpInst::Predicate holds =
          side == 0 ? compare->getPredicate() : compare->getInversePredicate();
      using llvm::CmpInst;
      const bool over = started ? holds == CmpInst::ICMP_EQ || holds == CmpInst::ICMP_SGE
                                : holds == CmpInst::ICMP_EQ || holds == CmpInst::ICMP_SLE ||
                                      holds == CmpInst::ICMP_ULE;
      if (!over) continue;
      for (const Change& change : counter.changes) {
        const AbstractThread& child = rules_.threads[change.thread];
        if (change.thread == parent || passes_by(*load, false, *child.start, {})) continue;
        known_.push_back({to, change.thread, change.write});
      }
    }
  }
}

bool JoinCounters::order(const Access& a, const Access& b) const {
  const auto follows = [&](const Access& starter, const Access& child) {
    return std::ranges::any_of(known_, [&](const Known& one) {
      return one.child == child.thread && rules_.threads[one.child].parent == starter.thread &&
             starter.instruction->getFunction() == one.block->getParent() &&
             child.instruction->getFunction() == one.last->getFunction() &&
             analyses_.of(*one.block->getParent())
                 .dominators.dominates(one.block, starter.instruction->getParent()) &&
             !passes_by(*one.last, false, *child.instruction, {});
    });
  };
  return !known_.empty() && (follows(a, b) || follows(b, a));
}

}  // namespace foretell::static_analysis
