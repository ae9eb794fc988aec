// SPDX-License-Identifier: Apache-2.0

// The threads of a program: one abstract thread for each place that starts one, and for each thread
// that gets there. An abstract thread stands for one thread or for many.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "bitcode/points_to/points_to.h"

namespace foretell::static_analysis {

enum class ThreadId : uint32_t {};
constexpr uint32_t number(ThreadId id) {
  return static_cast<uint32_t>(id);
}
inline constexpr ThreadId kMain{0};

struct AbstractThread {
  const llvm::Function* root = nullptr;
  const llvm::CallBase* start = nullptr;  // none for main
  ThreadId parent{};
  bool once = true;   // at most one thread of this kind in a run
  bool wild = false;  // started where no rule follows it: parallel with everything, and many
  std::string name;   // of the function in the source
  std::vector<ThreadId> children;
  std::vector<const llvm::Function*> functions;  // that it runs; the root first
};

class Threads {
 public:
  Threads(const llvm::Module& module, const llvm::Function& entry,
          const bitcode::PointsTo& points_to);

  const std::vector<AbstractThread>& all() const { return threads_; }
  const AbstractThread& operator[](ThreadId id) const { return threads_[number(id)]; }
  size_t size() const { return threads_.size(); }
  // Those that may run a function.
  const std::vector<ThreadId>& running(const llvm::Function& function) const;
  const std::vector<ThreadId>* started_by(const llvm::CallBase& call) const;
  // The thread and all it starts, directly or not.
  std::vector<ThreadId> family(ThreadId id) const;
  bool is_ancestor(ThreadId older, ThreadId younger) const;

 private:
  void add_functions(AbstractThread& thread);
  void add_children(ThreadId parent);
  void add_wild(const llvm::Module& module);

  const bitcode::PointsTo& points_to_;
  std::vector<AbstractThread> threads_;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::Function*>> callees_;
  llvm::DenseMap<const llvm::Function*, std::vector<ThreadId>> running_;
  llvm::DenseMap<const llvm::CallBase*, std::vector<ThreadId>> started_;
  llvm::DenseSet<const llvm::Function*> roots_;
};

// Whether control may come back to an instruction within one call of its function.
bool is_in_cycle(const llvm::Instruction& instruction);

}  // namespace foretell::static_analysis
