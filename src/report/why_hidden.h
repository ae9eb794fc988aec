// SPDX-License-Identifier: Apache-2.0

// "Why it did not show": how the recorded run kept two racing accesses apart, in one sentence.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// Empty if it is not known, or the finding is no race.
std::string why_hidden(const finding::Finding& finding);

}  // namespace foretell::report
