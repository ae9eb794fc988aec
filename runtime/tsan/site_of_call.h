// SPDX-License-Identifier: Apache-2.0

// The site of a call from an object compiled with -fsanitize=thread.
#pragma once

#include "runtime/intercept/attach.h"
#include "runtime/threads/records.h"
#include "runtime/threads/return_sites.h"

namespace foretell::rt {

// kNoSite if the calling thread records nothing.
inline uint32_t site_of_call(const void* return_address) {
  Thread* thread = active ? self() : nullptr;
  if (!thread || thread->inside) return recording::kNoSite;
  OnStream stream(thread);
  return site_of_return(thread, return_address);
}

}  // namespace foretell::rt
