// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/lock_cells.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace foretell::static_analysis {
namespace {

using bitcode::ObjectId;
using bitcode::Target;
using llvm::dyn_cast;

constexpr size_t kMaxCells = 64;
constexpr int kMaxBlocks = 16;

bool is_constant(const llvm::Value& value, bool zero) {
  if (llvm::isa<llvm::ConstantPointerNull>(value)) return zero;
  const auto* number = dyn_cast<llvm::ConstantInt>(&value);
  return number && number->isZero() == zero;
}

bool acquires(llvm::AtomicOrdering ordering) {
  return llvm::isAcquireOrStronger(ordering);
}
bool releases(llvm::AtomicOrdering ordering) {
  return llvm::isReleaseOrStronger(ordering);
}

class CellFinder {
 public:
  CellFinder(const PairRules& rules, LockSets& locks)
      : rules_(rules), locks_(locks), indices_(rules) {}

  void run() {
    collect_candidates();
    while (!cells_.empty()) {
      publish();
      const size_t before = cells_.size();
      std::erase_if(cells_, [&](const Cell& cell) { return !is_lock(cell); });
      if (cells_.size() == before) return;
    }
    locks_.set_cells(CellLocks());
  }

 private:
  struct Cell {
    explicit Cell(const HeldLock& made) : lock(made) {}
    HeldLock lock;
    CellLocks effects;
    std::vector<const llvm::Instruction*> by_holder;  // writes
    std::vector<std::pair<const llvm::Instruction*, const llvm::Instruction*>> sections;
    bool has_steps = false;                      // taken by atomic operations
    std::set<const llvm::Instruction*> refused;  // comparisons with numbers that come twice
  };

  void collect_candidates() {
    std::set<std::pair<ObjectId, uint32_t>> seen;
    for (const auto& [object, indexes] : rules_.accesses.by_object())
      for (AccessIndex index : indexes) {
        const Access& write = rules_.accesses[index];
        if (write.mode == AccessMode::read || !write.pointer || !write.extent) continue;
        const auto target = rules_.objects.single_target(*write.pointer);
        if (!target || write.targets.size() != 1 || cells_.size() >= kMaxCells ||
            !seen.insert({target->object, target->offset}).second)
          continue;
        const HeldLock lock{.kind = HeldLock::Kind::place,
                            .mode = LockMode::exclusive,
                            .object = target->object,
                            .offset = target->offset,
                            .pointer = write.pointer};
        for (const bool tickets : {false, true})
          if (Cell cell(lock); classify(cell, *target, write, tickets)) {
            cells_.push_back(std::move(cell));
            break;
          }
      }
  }

  // The part of the program's accesses to the cell; false if it cannot be a lock.
  bool classify(Cell& cell, const Target& target, const Access& like, bool tickets) {
    const auto& indexes = rules_.accesses.by_object().at(target.object);
    const Access whole{.extent = like.extent, .targets = {target}};
    for (AccessIndex index : indexes) {
      const Access& access = rules_.accesses[index];
      if (!overlap(access, whole, target.object)) continue;
      if (access.mode == AccessMode::read) {
        if (tickets) add_ticket(cell, access);
        continue;
      }
      if (is_alone(access, indexes, whole, target.object)) {
        cell.effects.released_by[access.instruction].push_back(cell.lock);
        continue;
      }
      const auto here =
          access.pointer ? rules_.objects.single_target(*access.pointer) : std::nullopt;
      if (!here || !(*here == target) || access.extent != like.extent) return false;
      if (!(tickets ? add_release(cell, *access.instruction)
                    : add_write(cell, *access.instruction)))
        return false;
    }
    const bool is_taken = !cell.effects.acquired_by.empty() || !cell.effects.zero.empty() ||
                          !cell.effects.nonzero.empty() || !cell.effects.equal.empty();
    // Who takes it in a section does not see those who take it outside.
    return is_taken && !(cell.has_steps && !cell.sections.empty());
  }

  bool is_alone(const Access& write, const std::vector<AccessIndex>& indexes, const Access& whole,
                ObjectId object) const {
    if (write.thread != kMain) return false;
    return std::ranges::none_of(indexes, [&](AccessIndex index) {
      const Access& other = rules_.accesses[index];
      return other.thread != kMain && overlap(other, whole, object) &&
             rules_.running.in_parallel(*write.instruction, write.thread, *other.instruction,
                                        other.thread);
    });
  }

  bool add_release(Cell& cell, const llvm::Instruction& write) {
    if (const auto* store = dyn_cast<llvm::StoreInst>(&write)) {
      if (store->isAtomic() && !releases(store->getOrdering())) return false;
    } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&write)) {
      if (!releases(update->getOrdering())) return false;
    } else if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&write)) {
      if (!releases(swap->getSuccessOrdering())) return false;
    } else {
      return false;
    }
    cell.by_holder.push_back(&write);
    cell.effects.released_by[&write].push_back(cell.lock);
    return true;
  }

  // Of a cell that is zero while it is free.
  bool add_write(Cell& cell, const llvm::Instruction& write) {
    using Operation = llvm::AtomicRMWInst::BinOp;
    if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&write)) {
      const bool sets =
          update->getOperation() == Operation::Xchg || update->getOperation() == Operation::Or;
      if (sets && is_constant(*update->getValOperand(), false)) {
        cell.has_steps = true;
        if (acquires(update->getOrdering())) cell.effects.zero[update] = {update, cell.lock};
        return true;
      }
      const bool clears =
          update->getOperation() == Operation::Xchg || update->getOperation() == Operation::And;
      return clears && is_constant(*update->getValOperand(), true) && add_release(cell, write);
    }
    if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&write)) {
      if (is_constant(*swap->getNewValOperand(), true)) return add_release(cell, write);
      if (!is_constant(*swap->getNewValOperand(), false) ||
          !is_constant(*swap->getCompareOperand(), true))
        return false;
      cell.has_steps = true;
      if (!acquires(swap->getSuccessOrdering())) return true;
      for (const llvm::User* user : swap->users())
        if (const auto* part = dyn_cast<llvm::ExtractValueInst>(user)) {
          if (part->getIndices().front() == 1) cell.effects.nonzero[part] = {swap, cell.lock};
          if (part->getIndices().front() == 0 && !swap->isWeak())
            cell.effects.zero[part] = {swap, cell.lock};
        }
      return true;
    }
    const auto* store = dyn_cast<llvm::StoreInst>(&write);
    if (!store) return false;
    if (is_constant(*store->getValueOperand(), true)) return add_release(cell, write);
    return is_constant(*store->getValueOperand(), false) && add_section(cell, *store);
  }

  const llvm::LoadInst* load_of(const Cell& cell, const llvm::Value& value) const {
    const auto* load = dyn_cast<llvm::LoadInst>(&value);
    if (!load || (load->isAtomic() && !acquires(load->getOrdering()))) return nullptr;
    const auto target = rules_.objects.single_target(*load->getPointerOperand());
    return target && target->object == cell.lock.object && target->offset == cell.lock.offset
               ? load
               : nullptr;
  }

  // In one section: the cell is read, found to be zero, and written. Or it is read and written, and what was
  // read is looked at later.
  bool add_section(Cell& cell, const llvm::StoreInst& store) {
    if (store.isAtomic()) return false;
    std::set<const llvm::LoadInst*> zero;
    const llvm::BasicBlock* block = store.getParent();
    const llvm::Instruction* at = store.getPrevNode();
    for (int blocks = 0; blocks < kMaxBlocks; blocks++) {
      for (; at; at = at->getPrevNode()) {
        if (const auto* load = load_of(cell, *at);
            load && load->getType() == store.getValueOperand()->getType()) {
          cell.sections.emplace_back(load, &store);
          if (zero.contains(load))
            cell.effects.acquired_by[&store].push_back(cell.lock);
          else if (load->getParent() == store.getParent())
            cell.effects.zero[load] = {&store, cell.lock};
          else
            return false;
          return true;
        }
        const bool is_intrinsic = llvm::isa<llvm::IntrinsicInst>(at);
        if (llvm::isa<llvm::CallBase>(at) && !is_intrinsic) return false;
        if (const auto* other = dyn_cast<llvm::StoreInst>(at)) {
          const auto target = rules_.objects.single_target(*other->getPointerOperand());
          if (!target || (target->object == cell.lock.object)) return false;
        }
      }
      const llvm::BasicBlock* before = block->getSinglePredecessor();
      if (!before) return false;
      if (const auto tested = tested_value(*before, *block)) {
        if (const auto* load = load_of(cell, *tested->value); load && tested->is_zero)
          zero.insert(load);
      }
      block = before;
      at = &block->back();
    }
    return false;
  }

  void add_ticket(Cell& cell, const Access& access) {
    const auto* load = load_of(cell, *access.instruction);
    if (!load || !load->getType()->isIntegerTy() || load->getType()->getIntegerBitWidth() < 32)
      return;
    for (const llvm::User* user : load->users()) {
      const auto* compare = dyn_cast<llvm::ICmpInst>(user);
      if (!compare || !compare->isEquality()) continue;
      const llvm::Value* other = compare->getOperand(compare->getOperand(0) == load ? 1 : 0);
      if (!cell.refused.contains(compare) && indices_.is_drawn_once(*other, access))
        cell.effects.equal[compare] = {load, cell.lock};
      else if (cell.refused.insert(compare).second)
        cell.effects.equal.erase(compare);
    }
  }

  bool is_lock(const Cell& cell) const {
    for (const llvm::Instruction* write : cell.by_holder)
      if (!locks_.at(*write).contains(cell.lock)) return false;
    // All sections are sections of one lock.
    std::optional<LockSet> common;
    for (const auto& [load, store] : cell.sections)
      for (const llvm::Instruction* one : {load, store}) {
        const LockSet& held = locks_.at(*one);
        if (!common) common = held;
        std::erase_if(*common, [&](const HeldLock& lock) {
          return lock.kind == HeldLock::Kind::address || lock.mode != LockMode::exclusive ||
                 lock == cell.lock || !held.contains(lock);
        });
      }
    return !common || !common->empty();
  }

  void publish() {
    CellLocks every;
    for (const Cell& cell : cells_) {
      every.zero.insert(cell.effects.zero.begin(), cell.effects.zero.end());
      every.nonzero.insert(cell.effects.nonzero.begin(), cell.effects.nonzero.end());
      every.equal.insert(cell.effects.equal.begin(), cell.effects.equal.end());
      for (const auto& [by, locks] : cell.effects.acquired_by)
        every.acquired_by[by].insert(every.acquired_by[by].end(), locks.begin(), locks.end());
      for (const auto& [by, locks] : cell.effects.released_by)
        every.released_by[by].insert(every.released_by[by].end(), locks.begin(), locks.end());
    }
    locks_.set_cells(std::move(every));
  }

  const PairRules& rules_;
  LockSets& locks_;
  const Indices indices_;
  std::vector<Cell> cells_;
};

}  // namespace

void find_lock_cells(const PairRules& rules, LockSets& locks) {
  CellFinder(rules, locks).run();
}

}  // namespace foretell::static_analysis
