// SPDX-License-Identifier: Apache-2.0

// Hooks for the functions that properties name (recording/property_hooks.h), put in before the
// optimizer has seen the program: what is inlined has no entry any more, and an argument that nobody
// needs is gone. A hook is a call of a function the optimizer knows nothing about, so what it passes
// is what a person reads in the source.
#pragma once

#include <llvm/IR/PassManager.h>

namespace foretell::pass {

// -foretell-events: "call f;return Pool::take".
struct AddPropertyHooks : llvm::PassInfoMixin<AddPropertyHooks> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace foretell::pass
