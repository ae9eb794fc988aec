// SPDX-License-Identifier: Apache-2.0

// Ways through a function that come together and part again.
#pragma once

#include <llvm/IR/Function.h>

namespace foretell::static_analysis {

// Where a branch follows from where control came from (`got = 1`, then `if (got)`), control goes there
// directly: what is known on one way is not lost where the ways meet. Accesses may be copied, and none
// is removed.
void separate_ways(llvm::Function& function);

}  // namespace foretell::static_analysis
