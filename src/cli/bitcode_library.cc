// SPDX-License-Identifier: Apache-2.0

#include "cli/bitcode_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace foretell::cli {

namespace fs = std::filesystem;

// Build tree and installed tree have the same shape: bin/foretell, lib/foretell/.
Result<void*> bitcode_function(const char* name) {
  return function_of_library("foretell_bitcode.so", name);
}

Result<void*> function_of_library(const char* file, const char* name) {
  std::error_code failed;
  const fs::path root = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (failed) return fail("cannot read /proc/self/exe: {}", failed.message());
  const fs::path path = root / "lib/foretell" / file;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = library ? ::dlsym(library, name) : nullptr;
  if (!function)
    return std::unexpected(
        Diagnostic{fmt::format("cannot load LLVM: {}", ::dlerror()), ""}.with_note(
            "build all targets, or install Foretell again"));
  return function;
}

}  // namespace foretell::cli
