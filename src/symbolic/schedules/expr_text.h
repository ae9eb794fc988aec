// SPDX-License-Identifier: Apache-2.0

// Conditions as a C programmer would write them: "atoi(argv[1]) != 0 && argc > 2".
#pragma once

#include <string>
#include <vector>

#include "smt/expr.h"

namespace foretell::symbolic {

// Past `most` characters the text ends with "...".
std::string c_text(smt::Expr expression, size_t most = 2'000);
// All of them; "always" if there are none.
std::string c_text(const std::vector<smt::Expr>& conditions, size_t most = 2'000);

}  // namespace foretell::symbolic
