// SPDX-License-Identifier: Apache-2.0

// The source files of a program that were not compiled with `foretell cc`, as far as it tells.
//
// Every object's symbols begin with one that names its source file, and every instrumented object has
// a constructor. One without any access or call has none, but has kept its bitcode like the others,
// with its name. A stripped program tells nothing.
#pragma once

#include <string>
#include <vector>

#include "launch/elf_file.h"

namespace foretell::launch {

std::vector<std::string> uninstrumented_files(const ElfFile& program);

}  // namespace foretell::launch
