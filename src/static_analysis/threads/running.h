// SPDX-License-Identifier: Apache-2.0

// Which threads may be running while another executes an instruction.
//
// For each thread, a forward pass over its code says at every instruction how many of each kind of
// its descendants may be running: none, one, or more. A join takes one away if its handle can only be
// that of a thread started here of which there is one; and with it those descendants that it
// surely waited for itself. A loop that joins what an equal loop has started takes all of them away:
// handles at equal bases and steps, loops of equal length, each executed once per round.
//
// Two threads may then run in parallel if, in their last common ancestor, one may be running when
// the other starts (or when the ancestor executes, if one of the two is the ancestor itself).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "static_analysis/threads/loop_pairs.h"
#include "static_analysis/threads/threads.h"

namespace foretell::static_analysis {

class Running {
 public:
  Running(const Threads& threads, const bitcode::PointsTo& points_to);
  ~Running();

  // Whether instruction a of thread x and instruction b of thread y may execute at the same time in
  // two different threads. Locks are not looked at.
  bool in_parallel(const llvm::Instruction& a, ThreadId x, const llvm::Instruction& b,
                   ThreadId y) const;
  // Whether a thread of this kind may run while another of the same kind does.
  bool with_itself(ThreadId id) const;
  // Whether y, a descendant of x, may be running when x executes the instruction.
  bool below(ThreadId x, const llvm::Instruction& at, ThreadId y) const;
  // Whether y, a descendant of x, may be left running when x ends.
  bool left_at_exit(ThreadId x, ThreadId y) const;
  // A join in a loop that waits, in its rounds, for the threads an earlier loop has started in the
  // same rounds: the first one first.
  const llvm::CallBase* joined_in_order(ThreadId child) const;

 private:
  enum class Count : uint8_t { none, one, more };
  // A handle's place in memory, and the threads whose handle it may hold.
  using Place = std::pair<bitcode::ObjectId, uint32_t>;
  struct State {
    bool reached = false;
    std::vector<Count> counts;
    std::map<Place, std::vector<bool>> handles;
    bool join(const State& other);
  };
  struct Result {
    llvm::DenseMap<const llvm::BasicBlock*, State> blocks;
    llvm::DenseMap<const llvm::Instruction*, std::vector<bool>> at;  // calls and accesses
    std::vector<bool> at_exit, ever;
  };

  void solve(ThreadId id);
  void step(ThreadId id, const llvm::Instruction& instruction, State& state);
  void start(ThreadId child, ThreadId parent, const llvm::CallBase& call, State& state) const;
  void end(ThreadId child, State& state, bool all) const;
  void join_one(const llvm::Value& handle, State& state) const;
  void leave_loops(ThreadId id, const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                   State& state, const LoopPairs& pairs) const;
  void store(const llvm::StoreInst& store, ThreadId id, State& state) const;
  // The one place a pointer means in each instance of a thread, if nobody else writes there.
  bool is_paired(ThreadId parent, ThreadId child, const LoopPairs::Pair& pair) const;
  std::optional<Place> own_place(const llvm::Value& pointer, ThreadId id) const;
  void forget(const llvm::Value& pointer, State& state) const;
  bool when_started(ThreadId started, ThreadId y) const;
  ThreadId child_towards(ThreadId ancestor, ThreadId descendant) const;

  const Threads& threads_;
  const bitcode::PointsTo& points_to_;
  std::vector<Result> results_;
  llvm::DenseMap<const llvm::CallBase*, const llvm::CallBase*> joins_in_order_;  // by start
  llvm::DenseMap<const llvm::LoadInst*, std::vector<bool>> loaded_;
  struct Writer {
    const llvm::Instruction* instruction;
    bitcode::Target target;
    std::optional<uint64_t> extent;  // nothing: to the end of the object
  };
  std::map<bitcode::ObjectId, std::vector<Writer>> writers_;
};

}  // namespace foretell::static_analysis
