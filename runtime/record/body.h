// SPDX-License-Identifier: Apache-2.0

// The body of the recording: the end of the file, where chunks are appended one after the other.
#pragma once

#include <stdint.h>
#include <sys/uio.h>

#include "runtime/platform/os.h"

namespace foretell::rt::body {

// Names the file. Nothing is known of it yet.
void set_path(const char* path);
const char* path();

// Results of the functions below that are errors of the kernel, and what they mean.
bool failed(long result);
const char* reason_of(long result);

long open_file();
// Reserves and maps part of the file. A negative result is the error.
long map_part(uint64_t offset, size_t size);
// By the limit in the options.
bool is_too_large(uint64_t size);

// Held while the file grows.
extern os::Lock lock;

// With the lock held. `size` is what the pieces have together. `descriptor` is of the recording, or
// negative. If it fails, recording stops.
void append(iovec* pieces, int count, uint64_t size, uint64_t offset, long descriptor);

// Nothing is appended from here on, because of this error.
void stop_recording(long result);
bool is_stopped();
// Says on standard error that recording has stopped, if it has and nobody said so.
void report_stop();

}  // namespace foretell::rt::body
