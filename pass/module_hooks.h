// SPDX-License-Identifier: Apache-2.0

// The declarations of recording/hooks.h in a module.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

namespace foretell::pass {

struct Hooks {
  explicit Hooks(llvm::Module& module);

  llvm::GlobalVariable* thread;
  llvm::FunctionCallee check, new_region, many_hits, read_range, write_range;
  llvm::FunctionCallee atomic_begin, atomic_read, atomic_write, atomic_rmw, fence;
  llvm::FunctionCallee branch;
  llvm::FunctionCallee watched, work;  // preserve_most
  llvm::FunctionCallee watched_loop;
};

}  // namespace foretell::pass
