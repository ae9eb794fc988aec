// SPDX-License-Identifier: Apache-2.0

// What a step is in the vocabulary of SARIF (section 3.38.8: verbs, adjectives and nouns).
#pragma once

#include <string_view>
#include <vector>

#include "trace/event.h"

namespace foretell::report {

std::vector<std::string_view> sarif_kinds(trace::EventKind kind);

}  // namespace foretell::report
