// SPDX-License-Identifier: Apache-2.0

// Sites of code that does not say where it is: objects compiled with -fsanitize=thread only have
// their return addresses. Each address becomes a site when it is first seen; a PcSite record says
// which, and the reader asks a symbolizer.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// The site of the instruction before `return_address`. Recorded by `thread`, which is on its
// stream.
uint32_t site_of_return(Thread* thread, const void* return_address);

}  // namespace foretell::rt
