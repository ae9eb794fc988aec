// SPDX-License-Identifier: Apache-2.0

// What all Java programs of the Tiddle compiler share.
#pragma once

#include <string>
#include <string_view>

#include "tiddle/code_writer.h"
#include "tiddle/compile.h"

namespace foretell::tiddle {

// The import lines for the classes that `code` uses.
std::string imports_for(std::string_view code);

// The methods that keep the order and check values, once per program.
void common_methods(const CompileOptions& options, bool handles, CodeWriter& out);

// Java source in pure ASCII, so that it means the same in every locale. Invalid UTF-8 becomes
// the replacement character.
std::string escape_unicode(std::string_view text);

}  // namespace foretell::tiddle
