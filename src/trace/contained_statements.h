// SPDX-License-Identifier: Apache-2.0

// Contained statements: those whose reads and choices change nothing but what the `statement` lines
// say (docs/trace-format.md, `contained`).
//
// Few traces have any, and only the judge of free reads asks, so they are a property of the run and
// have no field in StatementFacts.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "trace/run_facts.h"

namespace foretell::trace {

std::vector<SiteId> contained_statements(const RunFacts& facts);
void set_contained_statements(std::span<const SiteId> statements, RunFacts& facts);

}  // namespace foretell::trace
