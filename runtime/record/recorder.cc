// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/recorder.h"

#include <errno.h>
#include <fcntl.h>

#include "recording/model.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/record/body.h"
#include "runtime/record/stream_encoder.h"

namespace foretell::rt {

using recording::kHeaderSize;
using recording::kMaxWindows;
using recording::kSlotSize;

bool active = false;
Mode mode = Mode::controlled;
FileHeader* header = nullptr;
bool keeper_runs = false;

namespace {

// Space in a file costs time even where nothing is written.
uint64_t first_slots() {
  constexpr uint64_t kUsual = 16, kOfShortRuns = 1;
  return options.short_run ? kOfShortRuns : kUsual;
}
constexpr size_t kQueueSize = 64;
// The keeper is woken for several chunks at a time: waking a thread costs as much as draining a
// tenth of a chunk, on a virtual machine more.
constexpr size_t kBatch = 4;

// A chunk that waits to be drained.
struct FullChunk {
  ChunkHeader* chunk;
  StreamEncoder* encoder;  // null: as it is
};

os::Lock lock_;  // slots, queue, windows
ChunkHeader* free_ = nullptr;
FullChunk queue_[kQueueSize];
size_t queue_first_ = 0;
size_t queue_count_ = 0;
uint32_t windows_ = 0;
uint32_t awake_ = 0;  // futex of the keeper: 0 while it waits or is about to

// A free slot keeps its successor where its records will be.
ChunkHeader*& next_free(ChunkHeader* slot) {
  return *reinterpret_cast<ChunkHeader**>(slot->reserved);
}

// With lock_ held.
bool has_batch() {
  return queue_count_ >= kBatch || (queue_count_ > 0 && !free_);
}

void free_slot(ChunkHeader* slot) {
  next_free(slot) = free_;
  free_ = slot;
}

// With lock_ and the lock of the body held.
void add_window(uint64_t slots) {
  const size_t size = slots * kSlotSize;
  char* at = nullptr;
  if (windows_ < kMaxWindows && !body::is_stopped()) {
    const uint64_t offset = (header->body_end + kHeaderSize - 1) / kHeaderSize * kHeaderSize;
    // Without the first window there would be nothing to stop.
    const bool too_large = windows_ > 0 && body::is_too_large(offset + size);
    const long mapped = too_large ? -EFBIG : body::map_part(offset, size);
    if (body::failed(mapped)) {
      body::stop_recording(mapped);
    } else {
      at = reinterpret_cast<char*>(mapped);
      header->windows[windows_].offset = offset;
      header->windows[windows_++].slots = slots;
      header->body_end = offset + size;
    }
  }
  // Without the file the program still needs somewhere to write.
  if (!at) at = static_cast<char*>(os::allocate(size));
  if (!at) {
    os::complain("out of memory");
    os::exit_process(ExitStatus::internal_error);
  }
  for (uint64_t i = slots; i-- > 0;) {
    free_slot(reinterpret_cast<ChunkHeader*>(at + i * kSlotSize));
  }
}

void drain(const FullChunk& full, long descriptor) {
  ChunkHeader* chunk = full.chunk;
  const size_t padded = recording::codec::padded(chunk->used);
  append_chunk(*chunk, full.encoder, descriptor);
  drop_user(full.encoder);
  // The end of an open chunk is where zeros begin. The marker goes first: what is half cleared must
  // not be taken for a chunk.
  __atomic_store_n(&chunk->marker, 0, __ATOMIC_RELEASE);
  os::clear(chunk, sizeof *chunk + padded);
  os::Guard guard(lock_);
  free_slot(chunk);
}

void open_chunk(Stream& stream) {
  body::report_stop();
  for (;;) {
    lock_.lock();
    if (free_) break;
    lock_.unlock();
    if (drain_one_chunk(-1)) continue;
    os::Guard body_guard(body::lock);
    os::Guard guard(lock_);
    if (!free_) add_window(windows_ ? header->windows[windows_ - 1].slots * 2 : first_slots());
  }
  ChunkHeader* chunk = free_;
  free_ = next_free(chunk);
  lock_.unlock();
  next_free(chunk) = nullptr;
  chunk->kind = StreamKind::events;
  chunk->thread = stream.thread;
  chunk->ordinal = stream.ordinal++;
  __atomic_store_n(&chunk->marker, recording::kChunkMarker, __ATOMIC_RELEASE);
  stream.chunk = chunk;
}

// In which `cursor` is the first free byte.
void finish_chunk(Stream& stream, const char* cursor, bool is_last) {
  ChunkHeader* chunk = stream.chunk;
  stream.chunk = nullptr;
  chunk->used = static_cast<uint32_t>(cursor - reinterpret_cast<const char*>(chunk + 1));
  // Short streams are not worth an encoder; without memory for one chunks stay as they are.
  if (!stream.encoder && !is_last) {
    stream.encoder = new_stream_encoder();
  }
  if (stream.encoder) add_user(stream.encoder);
  const FullChunk full{chunk, stream.encoder};
  bool queued = false;
  bool wakes = false;
  {
    os::Guard guard(lock_);
    if (queue_count_ < kQueueSize) {
      queue_[(queue_first_ + queue_count_++) % kQueueSize] = full;
      queued = true;
      wakes = keeper_runs && has_batch();
    }
  }
  if (!queued) {
    drain(full, -1);
  } else if (wakes && __atomic_exchange_n(&awake_, 1, __ATOMIC_ACQ_REL) == 0) {
    os::futex_wake(&awake_, 1);
  }
}

}  // namespace

bool open_recording(const char* path) {
  body::set_path(path);
  const long fd = os::call(SYS_open, os::word(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  long at = fd;
  if (!body::failed(fd)) {
    os::call(SYS_close, fd);
    at = body::map_part(0, kHeaderSize);
  }
  if (body::failed(at)) {
    os::complain("the program runs unrecorded: ", path, body::reason_of(at));
    return false;
  }
  header = reinterpret_cast<FileHeader*>(at);
  header->version = recording::kVersion;
  header->slot_size = kSlotSize;
  header->pid = os::process_id();
  header->body_end = kHeaderSize;
  {
    os::Guard body_guard(body::lock);
    os::Guard guard(lock_);
    add_window(first_slots());
  }
  header->body_begin = kHeaderSize;
  os::copy(header->magic, recording::kMagic, sizeof header->magic);
  return true;
}

bool in_recorded_process() {
  return header && header->pid == os::process_id();
}

void next_chunk(Stream& stream, const char* cursor) {
  // The run will be made again, and nobody reads this recording any more; or it goes on being watched.
  const bool is_over = options.short_limit || (options.watch && options.size_limit);
  if (stream.chunk && is_over && body::is_stopped()) return;
  if (stream.chunk) finish_chunk(stream, cursor, false);
  open_chunk(stream);
}

void end_stream(Stream& stream, const char* cursor) {
  if (stream.chunk) finish_chunk(stream, cursor, true);
  drop_user(stream.encoder);
  stream.encoder = nullptr;
}

bool is_recording_stopped() {
  return body::is_stopped();
}

void stop_recording_silently() {
  os::Guard guard(body::lock);
  body::stop_recording(-EFBIG);
}

void abandon_chunk(Stream& stream) {
  open_chunk(stream);
}

long open_for_keeper() {
  return body::open_file();
}

bool drain_one_chunk(long descriptor) {
  FullChunk full{};
  {
    os::Guard guard(lock_);
    if (queue_count_ == 0) return false;
    full = queue_[queue_first_];
    queue_first_ = (queue_first_ + 1) % kQueueSize;
    queue_count_--;
  }
  drain(full, descriptor);
  return true;
}

void wait_for_chunks(uint64_t timeout_ns) {
  {
    os::Guard guard(lock_);
    __atomic_store_n(&awake_, 0, __ATOMIC_RELEASE);
    if (has_batch()) return;
  }
  os::futex_wait(&awake_, 0, timeout_ns);
  __atomic_store_n(&awake_, 1, __ATOMIC_RELAXED);
}

namespace {

// The parent's file is still mapped; nothing may be stored there any more.
void abandon_recording() {
  header = nullptr;
  free_ = nullptr;
  queue_first_ = queue_count_ = 0;
  windows_ = 0;
  keeper_runs = false;
  awake_ = 0;
  lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(abandon_recording);

}  // namespace

}  // namespace foretell::rt
