// SPDX-License-Identifier: Apache-2.0

// Fills program/code.h from a prepared module, with what stores may write (points_to/points_to.h).
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "program/code.h"

namespace foretell::bitcode {

Result<program::Code> lower(std::string_view bitcode);

}  // namespace foretell::bitcode
