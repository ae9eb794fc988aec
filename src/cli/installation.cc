// SPDX-License-Identifier: Apache-2.0

#include "cli/installation.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace foretell::cli {

namespace fs = std::filesystem;

Result<std::string> installation_root() {
  std::error_code failed;
  const fs::path root = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (failed) return fail("cannot read /proc/self/exe: {}", failed.message());
  return root.string();
}

Result<std::string> installed_part(const std::string& name) {
  FORETELL_TRY(root, installation_root());
  const fs::path path = fs::path(root) / name;
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return std::unexpected(Diagnostic{fmt::format("{} is missing", path.string()), ""}.with_note(
        "build all targets, or install Foretell again"));
  return path.string();
}

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
