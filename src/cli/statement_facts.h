// SPDX-License-Identifier: Apache-2.0

// What the code of a recorded program says of the statements of its trace, for `sliced`.
//
// Facts and traces name places by source position, function and expression. Statements that agree in
// all of these are one.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/tables.h"

namespace foretell::cli {

// An error if the program has no bitcode that foretell cc kept.
Result<std::vector<trace::StatementFacts>> statement_facts(const std::string& program,
                                                           const trace::TraceTables& tables);

}  // namespace foretell::cli
