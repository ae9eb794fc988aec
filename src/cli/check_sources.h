// SPDX-License-Identifier: Apache-2.0

// Sources become bitcode for `foretell check`: unoptimized, because optimizers delete races.
#pragma once

#include <string>
#include <vector>

#include "static_analysis/check.h"

namespace foretell::cli {

// Reads bitcode and programs as they are; compiles everything else with clang 19 and `flags`.
Result<std::vector<static_analysis::BitcodeFile>> bitcode_of(const std::vector<std::string>& paths,
                                                             const std::vector<std::string>& flags);

}  // namespace foretell::cli
