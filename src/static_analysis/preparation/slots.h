// SPDX-License-Identifier: Apache-2.0

// Stack slots become registers, and what can be computed from registers alone is computed.
#pragma once

#include <llvm/IR/Function.h>

namespace foretell::static_analysis {

// An uninitialized variable holds any value, not whichever suits the compiler: reads of one become
// calls of `foretell.any.TYPE`.
void promote_all_slots(llvm::Function& function);

// Sparse conditional constant propagation; blocks nobody reaches go. Touches no access to memory
// that can be executed.
void fold_registers(llvm::Function& function);

// Equal computations become one register, so that equal addresses look equal.
void share_expressions(llvm::Function& function);

}  // namespace foretell::static_analysis
