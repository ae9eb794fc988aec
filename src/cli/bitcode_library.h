// SPDX-License-Identifier: Apache-2.0

// The libraries that know LLVM, loaded when they are first needed.
#pragma once

#include "base/diagnostic.h"

namespace foretell::cli {

// The function of that name in the library that knows all of LLVM (bitcode/library.h).
Result<void*> bitcode_function(const char* name);
// In another one beside it.
Result<void*> function_of_library(const char* file, const char* name);

}  // namespace foretell::cli
