// SPDX-License-Identifier: Apache-2.0

// Queries as SMT-LIB 2 scripts, which every solver reads, and expressions as text for people.
#pragma once

#include <string>

#include "smt/query.h"

namespace foretell::smt {

// A complete script that ends with (check-sat). What occurs more than once is defined once. The
// same constraints give the same text, whatever else their context holds.
std::string to_smtlib(const Query& query);

// "(1 + x) <u y": u and s tell unsigned from signed operators, bits are x[7:0], "++" concatenates.
// What is shared is repeated; past `most` characters the text ends with "...".
std::string to_text(Expr e, size_t most = 10'000);

}  // namespace foretell::smt
