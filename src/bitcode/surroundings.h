// SPDX-License-Identifier: Apache-2.0

// What of a program its bitcode does not show: code that was linked in without bitcode, and
// symbols that shared libraries can use.
#pragma once

#include <string>
#include <vector>

#include "bitcode/binary.h"
#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

// `symbols` are those the bitcode defines, sorted.
Surroundings find_surroundings(const Binary& binary, const std::vector<std::string>& symbols);

}  // namespace foretell::bitcode
