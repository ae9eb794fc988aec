// SPDX-License-Identifier: Apache-2.0

// From addresses in programs and libraries to functions and lines, inlined calls included.
#pragma once

#include <vector>

#include "program/code_place.h"

namespace foretell::bitcode {

// For each address its places, the innermost inlined call first; at least one.
std::vector<std::vector<program::CodePlace>> symbolize(
    const std::vector<program::CodeAddress>& addresses);

}  // namespace foretell::bitcode
