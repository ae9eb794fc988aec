// SPDX-License-Identifier: Apache-2.0

// Which functions other threads than the first may run, and which objects two threads may touch.
//
// An object is not shared
// - if no function that another thread than the first may run touches it (initial_thread), or
// - if no pointer to it leaves the thread that made it: it is neither a global nor reachable from
//   one, from what is handed over when a thread starts or ends, or by the unknown (confined).
// What has escaped to the unknown may be touched by any thread. Nothing is confined in a program
// that switches contexts: a stack may then go on in another thread.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "bitcode/points_to/points_to.h"
#include "program/facts.h"

namespace foretell::bitcode {

class SharingAnalysis {
 public:
  SharingAnalysis(const llvm::Module& module, const PointsTo& points_to, bool has_foreign_code);

  program::RunBy run_by(const llvm::Function& function) const;
  program::Sharing of(ObjectId object) const;
  // Of memory that only `function` sees.
  program::Sharing of_private(const llvm::Function& function) const;

 private:
  using Functions = llvm::DenseSet<const llvm::Function*>;

  void find_runners(bool has_foreign_code);
  void find_touched();
  void find_reachable();
  void join_clones();
  void run_from(const llvm::Function& function, Functions& runners);
  bool others_may_exit(bool has_foreign_code) const;
  bool stacks_may_move() const;

  const llvm::Module& module_;
  const PointsTo& points_to_;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::Function*>> callees_;
  Functions initial_, any_;
  // By number of object:
  std::vector<bool> touched_by_any_, reachable_, escaped_;
};

}  // namespace foretell::bitcode
