// SPDX-License-Identifier: Apache-2.0

// STD text of an event, for tools that read this format.
#pragma once

#include <string>

#include "trace/event.h"
#include "trace/tables.h"

namespace foretell::trace {

// Appends the line of `raw` and returns true, or returns false if STD has no word for it.
bool print_std_event(const Event& raw, const TraceTables& tables, std::string& out);

}  // namespace foretell::trace
