// SPDX-License-Identifier: Apache-2.0

// The facts of a run as files have them: properties, pairs of key and value (docs/trace-format.md
// lists the keys).
#pragma once

#include "trace/properties.h"
#include "trace/tables.h"

namespace foretell::trace {

// The facts in `tables` as properties, always in the same order.
Properties to_properties(const TraceTables& tables);

// The way back. Ranges name memory that `tables` must have; what is not understood becomes
// RunFacts::other.
RunFacts facts_from(const Properties& properties, const TraceTables& tables);

}  // namespace foretell::trace
