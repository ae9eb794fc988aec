// SPDX-License-Identifier: Apache-2.0

// Addresses of machine code, and the places in the source they come from.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace foretell::program {

struct CodeAddress {
  std::string path;  // of the program or library
  uint64_t offset = 0;

  auto operator<=>(const CodeAddress&) const = default;
};

struct CodePlace {
  std::string function, file;  // empty if the debug information does not say
  uint32_t line = 0, column = 0;
};

}  // namespace foretell::program
