// SPDX-License-Identifier: Apache-2.0

// Descriptors closed while another thread uses them: the number may mean another file by then.
//
// In the trace a descriptor is a byte of memory at an address of its own (recording/record.h). A
// call that uses it reads the byte, close frees it, and the next use after the number was given out
// again allocates it first. So whatever finds a use after free finds this, too. The standard streams
// are left out, and so is what code does that was not instrumented.
#pragma once

#include "runtime/intercept/call.h"

namespace foretell::rt {

// Before the call, each a step of its own.
void use_descriptor(const Call& call, int fd);
void close_descriptor(const Call& call, int fd);

}  // namespace foretell::rt
