// SPDX-License-Identifier: Apache-2.0

// What is known of the objects that the program consists of.
#pragma once

#include "runtime/platform/loaded_object.h"

namespace foretell::rt {

// Some were compiled with -fsanitize=thread: their accesses come without values, and their calls
// without sites.
extern bool thread_sanitizer_objects;

// A library whose allocations and copies are not recorded; empty if there is none. That of OpenMP,
// once it has asked for a tool: what it does depends on files that other processes left, and is not
// the same in every run.
extern LoadedObject unrecorded_library;

// The thread in which that library is being initialized, null otherwise. What libc allocates for it
// then (to list a folder that other processes write to, say) is not recorded either.
struct Thread;
extern const Thread* initializes_library;

// What of libc gives streams their buffers. Whichever thread uses a stream first calls it, say the
// first that prints: an allocation there is not a step of that thread.
extern LoadedObject stream_buffers;

}  // namespace foretell::rt
