// SPDX-License-Identifier: Apache-2.0

#include "cli/find_clang.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace foretell::cli {

Result<std::string> find_clang() {
  if (const char* chosen = std::getenv("FORETELL_CLANG"); chosen && *chosen) return chosen;
  if (::access(FORETELL_CLANG_PATH, X_OK) == 0) return FORETELL_CLANG_PATH;
  const char* path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin:/bin";
  for (size_t from = 0; from <= folders.size();) {
    const size_t to = std::min(folders.find(':', from), folders.size());
    const std::string candidate = folders.substr(from, to - from) + "/clang-19";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    from = to + 1;
  }
  return std::unexpected(Diagnostic{"clang 19 was not found", ""}.with_note(
      "apt-get install clang-19, or set FORETELL_CLANG to its path"));
}

}  // namespace foretell::cli
