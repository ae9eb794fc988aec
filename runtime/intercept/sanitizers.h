// SPDX-License-Identifier: Apache-2.0

// Sanitizers in the same program. Their interceptors come before ours and call ours.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace foretell::rt {

// Whether the program has one with an allocator, and memory of its own where ours would be.
bool has_sanitizer();
// Memory that a sanitizer's allocator gives and takes is recorded too.
void listen_to_allocator();

// AddressSanitizer's notes on the program's memory, which it writes with the memset that it finds.
struct Shadow {
  uintptr_t begin = 0;
  uintptr_t size = 0;

  bool has(const void* at) const { return reinterpret_cast<uintptr_t>(at) - begin < size; }
};
extern Shadow shadow;

void find_shadow();

}  // namespace foretell::rt
