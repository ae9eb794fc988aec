// SPDX-License-Identifier: Apache-2.0

// What `foretell check` prints.
#pragma once

#include <string>

#include "static_analysis/check.h"

namespace foretell::cli {

std::string place_text(const static_analysis::Place& place);
// "read by T1 (work), holding 'lock'".
std::string deed_of(const static_analysis::AccessReport& access);

std::string races_text(const static_analysis::CheckResult& result, const std::string& subject,
                       bool stats);

}  // namespace foretell::cli
