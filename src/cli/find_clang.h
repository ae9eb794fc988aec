// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "base/diagnostic.h"

namespace foretell::cli {

// The clang the pass was built for, or one of that version.
Result<std::string> find_clang();

}  // namespace foretell::cli
