// SPDX-License-Identifier: Apache-2.0

// What an ELF file says about itself, as far as it matters to an analysis of the bitcode in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::bitcode {

struct Binary {
  std::string_view kept;              // the section with bitcode; empty if there is none
  bool is_relocatable = false;        // an object file: it will be linked to code nobody knows yet
  bool has_symbol_table = false;      // not stripped
  std::vector<std::string> defined;   // symbols of code and data, local ones too
  std::vector<std::string> exported;  // symbols that shared libraries can use
};

// The views live as long as `bytes`.
Result<Binary> read_binary(std::string_view bytes, const std::string& where);

}  // namespace foretell::bitcode
