// SPDX-License-Identifier: Apache-2.0

// The built viewer, web/dist/viewer.html, as it is linked into the program.
#pragma once

#include <string_view>

namespace foretell::report::html {

std::string_view viewer_page();

}  // namespace foretell::report::html
