// SPDX-License-Identifier: Apache-2.0

// Where the parts of Foretell lie, and the compiler it works with. Build tree and installed tree have the
// same shape: bin/foretell, lib/foretell/, include/.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace foretell::cli {

Result<std::string> installation_root();
// A file below the root: "lib/foretell/foretell_pass.so".
Result<std::string> installed_part(const std::string& name);
// The clang the pass was built for, or one of that version.
Result<std::string> find_clang();

}  // namespace foretell::cli
