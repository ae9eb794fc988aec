// SPDX-License-Identifier: Apache-2.0

// What the user may switch, as -mllvm options of the compiler (docs/instrumentation.md).
#pragma once

#include <llvm/Support/CommandLine.h>

namespace foretell::pass {

enum class FunctionHooks { all, none };

extern llvm::cl::opt<FunctionHooks> function_hooks;
extern llvm::cl::opt<bool> branch_hooks;
extern llvm::cl::opt<bool> keep_repeats;
extern llvm::cl::opt<bool> keeps_bitcode;

}  // namespace foretell::pass
