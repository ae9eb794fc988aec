// Recorder: the file behind the recording, a chunk at a time.
//
// Chunks are parts of a shared mapping of the file. Disk space is reserved before it is mapped,
// because a store to a page without space would be a SIGBUS; when there is none left, records go to
// memory that is overwritten again and again, and the program goes on. The file is opened anew for
// every window of chunks and closed at once, so a program that closes all descriptors, or counts
// them, does not notice.
//
// First touch of a page costs several times what storing the records in it does. So a thread of
// the runtime's own, the keeper, touches pages ahead of the program and sums up finished chunks
// behind it; without it (early, or after fork) the writer does both by itself.
#pragma once

#include "recording.h"

namespace foretell::rt {

using recording::ChunkHeader;
using recording::FileHeader;
using recording::Record;
using recording::StreamKind;

// Where the open chunk of a stream is. Owned by whoever may write to the stream: the holder of the
// token (controlled), the thread itself (parallel), or modules_lock.
struct Stream {
  StreamKind kind = StreamKind::events;
  uint64_t thread = 0;
  uint64_t ordinal = 0;
  ChunkHeader* chunk = nullptr;
  bool on_disk = false;

  Record* begin() const { return reinterpret_cast<Record*>(chunk + 1); }
  Record* end() const {
    return reinterpret_cast<Record*>(reinterpret_cast<char*>(chunk) + recording::kChunkSize);
  }
};

// Creates the recording. False, with a message, if that fails: the program then runs unrecorded.
bool open_recording(const char* path);
// The first page of the file, valid once open_recording succeeded.
extern FileHeader* header;

// Finishes the open chunk, in which `cursor` is the first free record, and opens the next.
void next_chunk(Stream& stream, const Record* cursor);
// Leaves the open chunk to a thread that may still write to it, and opens the next.
void abandon_chunk(Stream& stream);

// Appends to the stream of module tables.
void append_module_bytes(const void* bytes, size_t size);

// The keeper's share of the work; returns whether there was any.
bool prepare_and_finish_chunks();
// The keeper waits here for work, at most `timeout_ns`.
void wait_for_chunk_work(uint64_t timeout_ns);
extern bool keeper_runs;

// In the child of a fork: forget the parent's file.
void abandon_recording();

}  // namespace foretell::rt
