// SPDX-License-Identifier: Apache-2.0

// Conflicts between events, as docs/semantics.md lists them for atomic blocks.
#pragma once

#include "semantics.h"

namespace foretell::oracle {

// Whether swapping the two would change the run. Symmetric.
bool conflict(const Semantics& semantics, Position a, Position b);

}  // namespace foretell::oracle
