// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/program_objects.h"

namespace foretell::rt {

bool thread_sanitizer_objects = false;
LoadedObject unrecorded_library;
LoadedObject stream_buffers;
const Thread* initializes_library = nullptr;

}  // namespace foretell::rt
