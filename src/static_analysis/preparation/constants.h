// SPDX-License-Identifier: Apache-2.0

// Loads whose value every execution agrees on.
#pragma once

#include <llvm/IR/Module.h>

namespace foretell::static_analysis {

// A global that nobody writes has its initial value. A global written by one instruction has that
// value wherever the instruction was executed before, in the same function, and once only. The
// loads stay; their uses get the value.
void fold_constant_globals(llvm::Module& module);

}  // namespace foretell::static_analysis
