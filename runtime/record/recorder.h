// SPDX-License-Identifier: Apache-2.0

// Recorder: the file behind the recording (layout: recording/file.h).
//
// Threads write into slots, which are parts of a shared mapping of the file. A full slot is queued;
// the keeper, or a writer who finds no free slot, appends it to the body with one write, clears it
// and frees it. It is encoded before (recording/encoder.h) where that costs less than the bytes it
// saves. A stream is encoded in the order of its chunks: one that comes too late, and the only
// chunk of a short stream, are appended as they are. Disk space of slots is reserved before they
// are mapped, because a store to a page without space would be a SIGBUS. When the body cannot grow,
// its records are dropped and counted, and the program continues.
//
// The keeper has its own table of file descriptors. Any other thread that appends opens the file
// again and closes it at once. So a program that closes all descriptors, counts them, or shows
// their numbers does not notice.
#pragma once

#include "recording/file.h"
#include "recording/record.h"

namespace foretell::rt {

using recording::ChunkHeader;
using recording::FileHeader;
using recording::Mode;
using recording::Op;
using recording::StreamKind;

extern bool active;  // recording is on in this process
extern Mode mode;

struct StreamEncoder;

// Where the open chunk of an event stream is. Owned by the thread that may write to the stream: the
// holder of the token (controlled) or the thread itself (parallel).
struct Stream {
  uint64_t thread = 0;
  uint64_t ordinal = 0;
  ChunkHeader* chunk = nullptr;
  StreamEncoder* encoder = nullptr;  // from the first full chunk on

  char* begin() const { return reinterpret_cast<char*>(chunk + 1); }
  char* end() const { return reinterpret_cast<char*>(chunk) + recording::kSlotSize; }
};

// Creates the recording. False, with a message, if that fails: the program then runs unrecorded.
bool open_recording(const char* path);
// The first page of the file, valid once open_recording succeeded.
extern FileHeader* header;
// False in a child made by vfork, which shares our memory but is not us.
bool in_recorded_process();

// Finishes the open chunk, if there is one, in which `cursor` is the first free byte, and opens the
// next.
void next_chunk(Stream& stream, const char* cursor);
// Finishes the open chunk; the stream has no other.
void end_stream(Stream& stream, const char* cursor);
// Whether it has reached a limit. The rest goes nowhere.
bool is_recording_stopped();
// As if it had reached its limit.
void stop_recording_silently();
// Leaves the open chunk to a thread that may still write to it, and opens the next.
void abandon_chunk(Stream& stream);

// The compact records of `site` have this op.
void note_site(uint32_t site, Op op);

struct Bytes {
  const void* at;
  size_t size;
};
// Appends a module's table to the body. The pieces are at most 8 and need no padding.
void append_module(const Bytes* pieces, size_t count);

// A descriptor of the recording for drain_one_chunk, or negative.
long open_for_keeper();
// The keeper's share of the work: drains one chunk if there is one. Returns whether there was.
bool drain_one_chunk(long descriptor);
// The keeper waits here for work, at most `timeout_ns`.
void wait_for_chunks(uint64_t timeout_ns);
extern bool keeper_runs;

// At the end of the process: gives back disk space that was reserved and is not needed.
void release_reserve();
// In the child of a fork, when its own file is open: copies the site tables from the parent's.
void adopt_modules();

}  // namespace foretell::rt
