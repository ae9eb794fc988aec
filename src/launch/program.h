// SPDX-License-Identifier: Apache-2.0

// What can be known of a program from its file: whether it is the build a recording was made from,
// and whether it can be recorded at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::launch {

// Two files with equal contents are the same build, whatever their names and times.
struct BuildId {
  uint64_t size = 0;
  std::string hash;  // XXH3 of the contents, 16 hex digits
  bool operator==(const BuildId&) const = default;
};

Result<BuildId> build_id_of(const std::string& path);

// What the ELF file says. All false for a script.
struct ProgramFacts {
  bool elf = false;
  bool shared_object = false;    // position-independent or a library
  bool links_runtime = false;    // needs libforetell_rt.so
  bool built_by_pass = false;    // calls what `foretell cc` inserts
  bool built_for_tsan = false;   // calls what -fsanitize=thread inserts
  bool links_libtsan = false;    // has ThreadSanitizer's own runtime, so ours is not used
  bool links_libgomp = false;    // gcc's OpenMP library
  bool has_line_tables = false;  // -g
  bool is_static = false;        // no dynamic loader: nothing can be intercepted
  // Source files whose objects no compiler instrumented, as far as the symbol table names them.
  std::vector<std::string> uninstrumented = {};
};

Result<ProgramFacts> inspect_program(const std::string& path);

// The first few of them: "a.c, b.c and 4 more".
std::string list_of_files(const std::vector<std::string>& files);

}  // namespace foretell::launch
