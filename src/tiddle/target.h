// SPDX-License-Identifier: Apache-2.0

// What a target language of the Tiddle compiler provides.
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"
#include "tiddle/compile.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {

// The whole program text. Diagnostics name the event in `where`.
Result<std::string> write_cxx_program(std::span<const Plan> plans, const CompileOptions& options);
Result<std::string> write_java_program(std::span<const Plan> plans, const CompileOptions& options);

}  // namespace foretell::tiddle
