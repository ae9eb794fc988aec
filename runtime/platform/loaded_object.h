// SPDX-License-Identifier: Apache-2.0

// The executable or library that an address belongs to.
#pragma once

#include <stdint.h>

struct dl_phdr_info;

namespace foretell::rt {

struct LoadedObject {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= begin && at < end;
  }
};

// All that dl_iterate_phdr says is loaded of it.
LoadedObject extent_of(const dl_phdr_info& object);
// From its first segment to the end of its last; empty at the address if there is none.
LoadedObject loaded_object_around(const void* address);

// The code of a function of libc; empty if there is none of that name.
LoadedObject code_of(const char* function);

}  // namespace foretell::rt
