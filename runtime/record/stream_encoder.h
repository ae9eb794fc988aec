// SPDX-License-Identifier: Apache-2.0

// StreamEncoder: how the chunks of one stream get into the body, encoded or as they are.
#pragma once

#include "runtime/record/recorder.h"

namespace foretell::rt {

// The stream has one user, which is the caller. Null if there is no memory.
StreamEncoder* new_stream_encoder();
void add_user(StreamEncoder* encoder);
// The last one frees it. Null is allowed.
void drop_user(StreamEncoder* encoder);

// Appends a finished chunk to the body. `encoder` is its stream's, or null: as it is. `descriptor`
// is of the recording, or negative.
void append_chunk(ChunkHeader& chunk, StreamEncoder* encoder, long descriptor);

}  // namespace foretell::rt
