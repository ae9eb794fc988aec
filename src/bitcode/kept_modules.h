// SPDX-License-Identifier: Apache-2.0

// Reads the section in which `foretell cc` keeps bitcode (recording/kept_bitcode.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "recording/module.h"

namespace foretell::bitcode {

// One source file, as the compiler left it.
struct KeptModule {
  uint64_t identity = 0;
  std::vector<recording::SiteRow> rows;
  std::string strings;
  uint32_t name = 0;
  std::string bitcode;

  std::string_view text(uint32_t offset) const;
  std::string_view source() const { return text(name); }
};

// `where` is what messages call the file.
Result<std::vector<KeptModule>> read_kept_modules(std::string_view section,
                                                  const std::string& where);

}  // namespace foretell::bitcode
