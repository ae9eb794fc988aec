// SPDX-License-Identifier: Apache-2.0

// Functions that allocate for their callers: xmalloc, new_node.
//
// If all objects of such a function were one, so would be all lists, trees and buffers of a program
// that checks the result of malloc in one place. A function is a wrapper if all it returns is new
// memory (or null), and if until then it gives the address to nobody: it may fill the object and
// look at it. A caller then has an object of its own. A wrapper of a wrapper is one, too, up to
// kMaxDepth; C++ containers allocate through several.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "bitcode/externals.h"

namespace foretell::bitcode {

class Wrappers {
 public:
  Wrappers(const llvm::Module& module, const Externals& externals);

  // The calls that allocate what the function returns; none if it is no wrapper.
  const std::vector<const llvm::CallBase*>& allocations_of(const llvm::Function& function) const;

 private:
  static constexpr int kMaxDepth = 4;

  bool keeps_no_pointer(const llvm::CallBase& call) const;
  bool stays(const llvm::CallBase& allocation) const;
  bool allocates(const llvm::CallBase& call) const;
  std::vector<const llvm::CallBase*> returned_allocations(const llvm::Function& function) const;

  const Externals& externals_;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::CallBase*>> wrappers_;
};

}  // namespace foretell::bitcode
