// SPDX-License-Identifier: Apache-2.0

// What a compiler command line asks for, as far as `foretell cc` has to know it: the rest passes
// through unread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::cli {

// The words of a response file: separated by white space, quoted by ' or ", escaped by a backslash.
std::vector<std::string> split_response_file(std::string_view text);

struct CompilerRequest {
  bool has_input = false;             // a file, standard input, or something for the linker
  bool stops_early = false;           // -c, -S, -E, -M, --version, ...: nothing is linked
  bool relocatable = false;           // -r: the result is linked again later
  std::string static_option;          // -static or -static-pie, if there
  std::string other_instrumentation;  // -fsanitize=thread, if there

  bool links() const { return has_input && !stops_early && !relocatable; }
};

// Reads response files (@file) too; one that cannot be read is left to the compiler to complain of.
CompilerRequest read_compiler_arguments(std::span<const std::string> arguments);

}  // namespace foretell::cli
