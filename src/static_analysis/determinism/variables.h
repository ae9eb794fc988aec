// SPDX-License-Identifier: Apache-2.0

// Names of variables as a programmer writes them: `account.amount`, `table[..].seat`.
#pragma once

#include "static_analysis/sync/objects.h"

namespace foretell::static_analysis {

// By debug information where there is some.
std::string variable_name(const bitcode::Target& target, const bitcode::PointsTo& points_to,
                          const Objects& objects);
// Whether the name is that of the variable or of a part of it.
bool is_part_of(std::string_view name, std::string_view variable);

}  // namespace foretell::static_analysis
