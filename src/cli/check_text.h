// SPDX-License-Identifier: Apache-2.0

// What `foretell check` prints.
#pragma once

#include <string>

#include "static_analysis/check.h"

namespace foretell::cli {

std::string races_text(const static_analysis::CheckResult& result, const std::string& subject,
                       bool stats);

}  // namespace foretell::cli
