// SPDX-License-Identifier: Apache-2.0

// The library that knows LLVM (bitcode/library.h), loaded when it is first needed.
#pragma once

#include "base/diagnostic.h"

namespace foretell::cli {

// The function of that name in the library.
Result<void*> bitcode_function(const char* name);

}  // namespace foretell::cli
