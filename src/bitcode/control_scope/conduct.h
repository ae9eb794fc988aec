// SPDX-License-Identifier: Apache-2.0

// What may happen while a piece of code runs, with all it calls.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "bitcode/control_scope/loops.h"
#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

struct Conduct {
  Bits writes;                // targets
  bool synchronizes = false;  // locks, threads, atomics, fences, volatile accesses
  bool calls_unknown = false;
  bool allocates = false;  // or frees
  bool has_state = false;  // files, errno, the time
  bool may_trap = false;   // a pointer that may be bad, a division by what may be 0
  bool may_stop = false;   // does not come back: exits, waits forever, never ends
  bool may_unwind = false;

  // True if it has grown.
  bool add(const Conduct& other);
};

class Conducts {
 public:
  // `ending` says which loops of each function end.
  Conducts(const llvm::Module& module, PointsTo& points_to,
           const llvm::DenseMap<const llvm::Function*, EndingLoops>& ending);

  Conduct of(const llvm::Instruction& instruction);
  const Conduct& of(const llvm::Function& function) { return functions_[&function]; }
  // Whether control may not go on to the next instruction, or the normal way of an invoke.
  bool may_not_return(const llvm::CallBase& call);

 private:
  // Stands for all code that cannot be seen.
  static constexpr const llvm::Function* kUnknownCode = nullptr;

  Conduct of_call(const llvm::CallBase& call);
  Conduct of_external(const llvm::CallBase& call, const llvm::Function& callee);
  Conduct of_intrinsic(const llvm::CallBase& call);
  Conduct own(const llvm::Function& function);
  bool may_trap(const llvm::Value& pointer, const llvm::Type* type) const;
  void add_targets(const llvm::Value& pointer, Conduct& conduct);
  bool has_endless_loop(const llvm::Function& function, const EndingLoops& ending) const;
  void find_recursion(const llvm::Module& module);

  PointsTo& points_to_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::CallBase*, std::vector<const llvm::Function*>> callees_;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::Function*>> called_by_;
  llvm::DenseMap<const llvm::Function*, Conduct> functions_;
};

}  // namespace foretell::bitcode
