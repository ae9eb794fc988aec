// SPDX-License-Identifier: Apache-2.0

// Calls become the code they call: contexts by copying.
#pragma once

#include <llvm/IR/Module.h>

namespace foretell::static_analysis {

// Inlines below `root`, and below every function whose address is taken, all direct calls of
// functions that have a body and are not on the way to themselves. Stops growing at a size that
// keeps analyses fast; what is left is a call.
void flatten(llvm::Module& module, llvm::Function& root);

size_t size_of(const llvm::Function& function);

}  // namespace foretell::static_analysis
