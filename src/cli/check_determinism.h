// SPDX-License-Identifier: Apache-2.0

// What `foretell check` says about determinism, as text and as JSON.
#pragma once

#include <string>

#include "static_analysis/determinism/determinism.h"

namespace foretell::cli {

std::string determinism_text(const static_analysis::DeterminismResult& result,
                             const std::string& subject, bool stats);
std::string determinism_json(const static_analysis::DeterminismResult& result,
                             const std::string& subject);

}  // namespace foretell::cli
