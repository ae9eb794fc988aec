// SPDX-License-Identifier: Apache-2.0

// Two texts beside each other, line by line; lines that differ are marked.
#pragma once

#include <string>
#include <string_view>

namespace foretell::report {

// Long texts are cut to the lines around the first difference.
std::string side_by_side(std::string_view left_title, std::string_view left,
                         std::string_view right_title, std::string_view right);

}  // namespace foretell::report
