// SPDX-License-Identifier: Apache-2.0

// What `foretell check` says about determinism, as text and as JSON.
#pragma once

#include <string>

#include "static_analysis/determinism/determinism.h"

namespace foretell::cli {

std::string determinism_text(const static_analysis::DeterminismResult& result,
                             const std::string& subject, const std::string& observer, bool stats);
std::string determinism_json(const static_analysis::DeterminismResult& result,
                             const std::string& subject, const std::string& observer);
// What --weak, --vars, --threads, --states and --paper ask for, in words; empty if nothing.
std::string observer_of(const static_analysis::DeterminismOptions& options);

}  // namespace foretell::cli
