// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/sanitizers.h"

#include "recording/record.h"

extern "C" __attribute__((weak)) void __asan_get_shadow_mapping(size_t* scale, size_t* offset);

extern "C" __attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void*, size_t), void (*on_free)(const volatile void*));

namespace foretell::rt {

Shadow shadow;

bool has_sanitizer() {
  return __asan_get_shadow_mapping || __sanitizer_install_malloc_and_free_hooks;
}

void find_shadow() {
  if (!__asan_get_shadow_mapping) return;
  size_t scale = 0, offset = 0;
  __asan_get_shadow_mapping(&scale, &offset);
  constexpr uintptr_t kUserSpace = uintptr_t{1} << recording::kSiteShift;
  shadow = {.begin = offset, .size = kUserSpace >> scale};
}

}  // namespace foretell::rt
