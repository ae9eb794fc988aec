// SPDX-License-Identifier: Apache-2.0

// Writes down branches, their scopes, and what values are computed from.
#pragma once

#include <llvm/IR/Module.h>

#include "bitcode/fact_tables.h"
#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

// Functions, objects and accesses must have been added.
void add_flow_facts(llvm::Module& module, PointsTo& points_to, FactTables& tables);

}  // namespace foretell::bitcode
