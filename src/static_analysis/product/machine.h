// SPDX-License-Identifier: Apache-2.0

// Executes the threads of a state, one step at a time.
//
// A step begins with something other threads can tell or hinder: taking a lock, an atomic access, an
// access that no rule has shown to be free of races, a join or a wait. What follows up to the next
// such point commutes with what others do: plain accesses that are proved race-free go either way,
// and giving a lock back can be done early (Lipton, "Reduction", CACM 1975). So threads are
// interleaved between steps only. Where a condition holds anything, both sides are taken.
#pragma once

#include <llvm/IR/IntrinsicInst.h>

#include <set>
#include <string>

#include "static_analysis/product/places.h"
#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

// What is tried again more coarsely if it turns out not to hold.
struct Coarseness {
  bool checks = false;        // keep what only conditions that end the program read
  std::set<uint32_t> crowds;  // kinds of threads that are only counted
  bool barriers = true;       // wait for the others
  size_t values = 24;         // of a register or cell, until it holds anything
};

class Machine {
 public:
  Machine(const PairRules& rules, const std::vector<RacePair>& pairs, const Coarseness& coarseness);

  State initial();
  // The states that follow a step of one thread; none if it waits. False if something is met that
  // the product cannot follow: see `problem`.
  bool step(const State& state, size_t thread, std::vector<State>& next);

  // The suspected accesses a thread is about to make.
  struct Pending {
    AccessIndex access;
    Value pointer;
  };
  std::vector<Pending> pending(const State& state, const ThreadState& thread);
  bool may_conflict(const Pending& a, const Pending& b) const;

  const std::string& problem() const { return problem_; }
  // What has to be coarser: try again with these.
  const std::set<uint32_t>& crowded() const { return crowded_; }
  bool lost_barriers() const { return lost_barriers_; }

 private:
  enum class Next : uint8_t { next, jumped, stop, drop };

  bool is_stop(const ThreadState& thread) const;
  bool is_visible(const llvm::Instruction& instruction, uint32_t kind) const;
  void run(State&& state, size_t index, bool is_first);
  void finish(State&& state, size_t index);
  Next execute(State& state, size_t index);
  Next execute_terminator(State& state, size_t index, const llvm::Instruction& instruction);
  Next jump(Frame& frame, const llvm::BasicBlock& from, const llvm::BasicBlock& to, State& state,
            size_t index);
  Next branch(State& state, size_t index, const llvm::BranchInst& branch);
  Next choose(State& state, size_t index, const llvm::SwitchInst& choice);
  Next leave_function(State& state, size_t index, const Value& result);
  Next end_thread(State& state, size_t index);
  Next call(State& state, size_t index, const llvm::CallBase& call);
  Next enter(State& state, size_t index, const llvm::CallBase& call, const llvm::Function& callee);
  Next call_external(State& state, size_t index, const llvm::CallBase& call);
  Next intrinsic(State& state, size_t index, const llvm::IntrinsicInst& call);
  void learn(Frame& frame, const llvm::Value& condition, bool holds) const;
  State& fork(const State& state);
  void end_fork(Next outcome, size_t index);
  Next fail(std::string problem);

  // Values
  Value value_of(const llvm::Value& value, const ThreadState& thread);
  Value of_constant(const llvm::Constant& constant, const ThreadState& thread);
  Value address(const llvm::GEPOperator& address, const ThreadState& thread);
  Value compute(const llvm::Instruction& instruction, const ThreadState& thread);
  Value compare(const llvm::ICmpInst& compare, const Value& a, const Value& b) const;
  void set(ThreadState& thread, const llvm::Instruction& result, const Value& value,
           uint32_t part = 0) const;

  // Memory
  Value load(const State& state, const Value& pointer, llvm::Type& type) const;
  Next store(State& state, const Value& pointer, const llvm::Value& operand, uint32_t size,
             const Value& value);
  void blur_targets(State& state, const bitcode::Bits& targets);
  Next access_memory(State& state, size_t index, const llvm::Instruction& instruction);
  Next update(State& state, size_t index, const llvm::AtomicRMWInst& update);
  Next swap(State& state, size_t index, const llvm::AtomicCmpXchgInst& swap);
  bool is_weak(const llvm::Instruction& instruction) const;
  bool has_one_atomic_place() const;
  bool is_kept(const Value& pointer) const;

  // Synchronization
  Next synchronize(State& state, size_t index, const llvm::CallBase& call);
  Next acquire(State& state, size_t index, const Value& lock, bool shared);
  Next release(State& state, size_t index, const Value& lock);
  Next start_thread(State& state, size_t index, const llvm::CallBase& call);
  Next join_thread(State& state, size_t index, const llvm::CallBase& call);
  Next wait_for_condition(State& state, size_t index, const Value& mutex);
  Next wait_at_barrier(State& state, size_t index, const llvm::CallBase& call);
  Next run_once(State& state, size_t index, const llvm::CallBase& call);
  void end_once(State& state, size_t index, const llvm::CallBase& call);
  Next use_semaphore(State& state, size_t index, const llvm::CallBase& call);
  bool is_free(const State& state, size_t index, const Spot& lock, bool shared) const;
  std::optional<Spot> spot_of(const Value& pointer) const;

  const PairRules& rules_;
  const Coarseness& coarseness_;
  Relevance relevance_;
  Places places_;
  CodeCache codes_;
  std::map<std::pair<const llvm::Instruction*, uint32_t>, std::vector<AccessIndex>> suspects_;
  std::set<const llvm::Value*> weak_sites_;
  bool one_place_ = false;  // acquire and release are as good as sequential consistency
  std::map<const llvm::Instruction*, std::vector<bitcode::Node>> written_by_calls_;
  std::set<const llvm::CallBase*> calling_back_;
  std::map<std::tuple<const Code*, uint32_t, uint32_t>, std::set<Value>> register_values_;
  std::map<Spot, std::set<Value>> cell_values_;
  // Of the step being made: ways not taken yet, and where it led.
  std::vector<State> left_;
  std::vector<State>* next_ = nullptr;
  size_t forks_ = 0;
  bool forked_ = false;  // on the way from the last stop
  std::string problem_;
  std::set<uint32_t> crowded_;
  bool lost_barriers_ = false;
};

}  // namespace foretell::static_analysis
