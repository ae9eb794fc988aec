// SPDX-License-Identifier: Apache-2.0

// What a finding assumes of reads, in words (docs/semantics.md, "What reads demand").
#pragma once

#include <string_view>

#include "finding/result.h"

namespace foretell::report {

// "reads return the values ..."; empty if the witness keeps every write that was read, or if the
// program has shown it.
std::string_view assumption_of(const finding::Finding& finding);

}  // namespace foretell::report
