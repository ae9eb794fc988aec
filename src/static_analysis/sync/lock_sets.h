// SPDX-License-Identifier: Apache-2.0

// Which locks a thread surely holds when it executes an instruction.
//
// A lock is known by its place, if its object is one object of the run; or by how its address is
// computed: `lock(&p->m); p->v++` holds a lock at a fixed distance from what it protects, whichever
// object p is. Two threads that reach the same byte of such an object then hold the same lock. The
// facts about a computed address end when one of the registers it is computed from may change.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "static_analysis/sync/objects.h"
#include "static_analysis/sync/operations.h"

namespace llvm {
class Loop;
class LoopInfo;
}  // namespace llvm

namespace foretell::static_analysis {

// base + constant + sum of factor * register.
struct Address {
  const llvm::Value* base = nullptr;
  int64_t constant = 0;
  std::vector<std::pair<const llvm::Value*, int64_t>> terms;
  auto operator<=>(const Address&) const = default;
};
Address address_of(const llvm::Value& pointer, const llvm::DataLayout& layout);

struct HeldLock {
  enum class Kind : uint8_t { atomic_section, place, address };
  Kind kind{};
  LockMode mode{};
  bitcode::ObjectId object{};  // of a place
  uint32_t offset = 0;
  Address address;                       // of an address
  const llvm::Value* pointer = nullptr;  // the lock as it was taken; not compared
  std::strong_ordering operator<=>(const HeldLock& other) const {
    if (auto c = kind <=> other.kind; c != 0) return c;
    if (auto c = mode <=> other.mode; c != 0) return c;
    if (auto c = object <=> other.object; c != 0) return c;
    if (auto c = offset <=> other.offset; c != 0) return c;
    return address <=> other.address;
  }
  bool operator==(const HeldLock& other) const { return (*this <=> other) == 0; }
};
using LockSet = std::set<HeldLock>;

// What instructions do to locks that are made of a variable.
struct CellLocks {
  using Locks = llvm::SmallVector<HeldLock, 1>;
  llvm::DenseMap<const llvm::Instruction*, Locks> acquired_by, released_by;
  // Whoever finds that the value is zero, is not, or that the comparison holds, has the lock since the
  // instruction: for a comparison, the one that reads the cell.
  struct Found {
    const llvm::Instruction* by = nullptr;
    HeldLock lock;
  };
  llvm::DenseMap<const llvm::Value*, Found> zero, nonzero, equal;
};

// What is known of a value where control goes from one block to the other.
struct TestedValue {
  const llvm::Value* value = nullptr;
  bool is_zero = false;
};
std::optional<TestedValue> tested_value(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

class LockSets {
 public:
  LockSets(const Threads& threads, const Objects& objects);

  const LockSet& at(const llvm::Instruction& instruction) const;
  std::string name_of(const HeldLock& lock) const;
  const Objects& objects() const { return objects_; }
  // Takes these for locks, too, instead of those it was told before.
  void set_cells(CellLocks cells);

 private:
  using Blocks = llvm::DenseMap<const llvm::BasicBlock*, LockSet>;
  void solve(const llvm::Function& function, bool is_root);
  void step(const llvm::Instruction& instruction, LockSet& held) const;
  void acquire(const LockOperation& operation, LockSet& held) const;
  void release(const llvm::Value* lock, LockSet& held) const;
  // What a branch on the result of a try adds.
  void add_tried(const llvm::BasicBlock& from, const llvm::BasicBlock& to, LockSet& held) const;
  void add_found(const llvm::BasicBlock& from, const llvm::BasicBlock& to, LockSet& held) const;
  // What a branch on a choice between constants says of where control came from.
  void add_chosen(const llvm::BasicBlock& from, const llvm::BasicBlock& to, const Blocks& blocks,
                  LockSet& held) const;
  bool keeps_since(const llvm::Instruction& instruction, const llvm::BasicBlock& until,
                   const HeldLock& lock) const;
  LockSet leaving(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                  const Blocks& blocks) const;
  void solve_all();
  void find_binary_semaphores();
  bool may_release(const llvm::Function& function) const;

  const Objects& objects_;
  CellLocks cells_;
  std::set<const llvm::Function*> roots_, functions_;
  llvm::DenseMap<const llvm::Instruction*, LockSet> at_;
  // Places of semaphores that only one thread can be past: initially one, and never posted but by
  // whoever waited.
  std::set<std::pair<bitcode::ObjectId, uint32_t>> binary_;
  std::set<const llvm::Function*> releasing_, once_;  // once_: roots of threads there is one of
};

}  // namespace foretell::static_analysis
