// SPDX-License-Identifier: Apache-2.0

// Loops that run a small known number of times become straight code, where threads are started,
// joined or given their arguments. Then every thread has its own name, and its own slot of an array.
#pragma once

#include <llvm/IR/Function.h>

namespace foretell::static_analysis {

void unroll_thread_loops(llvm::Function& function);

}  // namespace foretell::static_analysis
