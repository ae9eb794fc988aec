#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "options.h"
#include "os.h"

namespace foretell::rt {

using recording::kHeaderSize;
using recording::kMaxWindows;
using recording::kSlotSize;

FileHeader* header = nullptr;
bool keeper_runs = false;

namespace {

constexpr uint64_t kFirstSlots = 16;
constexpr size_t kQueueSize = 64;  // chunks waiting to be drained

const char* path_ = nullptr;

os::Lock lock_;  // slots, queue, windows
ChunkHeader* free_ = nullptr;
ChunkHeader* queue_[kQueueSize];
size_t queue_first_ = 0;
size_t queue_count_ = 0;
uint32_t windows_ = 0;
uint32_t work_ = 0;  // futex of the keeper

os::Lock body_lock_;  // the end of the file: chunks are appended one after the other
bool full_ = false;
const char* reason_ = nullptr;  // why, until it has been told
uint64_t modules_ = 0;
uint64_t reserved_end_ = 0;  // disk space is reserved up to here

// Where the module tables are in the file, so that a forked child can take them over.
struct Spots {
  static constexpr size_t kRoom = 250;
  struct {
    uint64_t offset, size;
  } at[kRoom];
  size_t count;
  Spots* next;
};
Spots* spots_ = nullptr;
const char* parent_path_ = nullptr;

bool failed(long result) {
  return result < 0 && result > -4096;
}

// A free slot keeps its successor where its records will be.
ChunkHeader*& next_free(ChunkHeader* slot) {
  return *reinterpret_cast<ChunkHeader**>(slot->reserved);
}

const char* reason_of(long result) {
  switch (-result) {
    case ENOSPC:
    case EDQUOT:
      return "no space left on the device";
    case EFBIG:
      return "the file would become larger than allowed";
    case EACCES:
      return "permission denied";
    case ENOENT:
      return "no such file or directory";
    case EEXIST:
      return "it exists already";
    case EROFS:
      return "the file system is read-only";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    case ENOMEM:
      return "out of memory";
    default:
      return "an input/output error";
  }
}

// The keeper has no standard error, so threads of the program say it.
void tell_if_stopped() {
  const char* reason = __atomic_exchange_n(&reason_, nullptr, __ATOMIC_ACQ_REL);
  if (reason) os::complain("recording stops here, the program goes on: ", reason);
}

void stop_recording(long result) {
  if (full_) return;
  const char* reason = reason_of(result);
  reason_ = reason;
  full_ = true;
  const size_t size = os::length(reason);
  os::copy(header->error, reason, size < sizeof header->error ? size : sizeof header->error - 1);
}

long open_file() {
  return os::call(SYS_open, os::word(path_), O_RDWR | O_CLOEXEC);
}

bool is_too_large(uint64_t size) {
  return options.size_limit && size > options.size_limit;
}

// Reserves and maps part of the file. A negative result is the error.
long map_part(uint64_t offset, size_t size) {
  const long fd = open_file();
  if (failed(fd)) return fd;
  long result = os::call(SYS_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(size));
  // A file system without fallocate: extend, and trust that there is space.
  if (result == -EOPNOTSUPP) {
    result = os::call(SYS_ftruncate, fd, static_cast<long>(offset + size));
  }
  if (!failed(result)) {
    result = os::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      static_cast<long>(offset));
  }
  os::call(SYS_close, fd);
  return result;
}

void free_slot(ChunkHeader* slot) {
  next_free(slot) = free_;
  free_ = slot;
}

// With lock_ and body_lock_ held.
void add_window(uint64_t slots) {
  const size_t size = slots * kSlotSize;
  char* at = nullptr;
  if (windows_ < kMaxWindows && !full_) {
    const uint64_t offset = (header->body_end + kHeaderSize - 1) / kHeaderSize * kHeaderSize;
    // Without the first window there would be nothing to stop.
    const bool too_large = windows_ > 0 && is_too_large(offset + size);
    const long mapped = too_large ? -EFBIG : map_part(offset, size);
    if (failed(mapped)) {
      stop_recording(mapped);
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
    os::exit_process(70);
  }
  for (uint64_t i = slots; i-- > 0;) {
    free_slot(reinterpret_cast<ChunkHeader*>(at + i * kSlotSize));
  }
}

// Space for what will be appended is reserved in steps that double: the file system then does the
// work of finding it once for many chunks. Where it cannot, appending says so.
void reserve(long fd, uint64_t end) {
  constexpr uint64_t kFirstStep = 1 << 20;
  constexpr uint64_t kLargestStep = 64 << 20;
  constexpr long kKeepSize = 1;
  if (end <= reserved_end_) return;
  uint64_t step = end - kHeaderSize;
  step = step < kFirstStep ? kFirstStep : step > kLargestStep ? kLargestStep : step;
  os::call(SYS_fallocate, fd, kKeepSize, static_cast<long>(header->body_end),
           static_cast<long>(end + step - header->body_end));
  reserved_end_ = end + step;
}

// With body_lock_ held. `size` is what the pieces have together. `descriptor` is of the recording,
// or negative.
void append(iovec* pieces, int count, uint64_t size, uint64_t offset, long descriptor) {
  if (full_) return;
  if (is_too_large(offset + size)) {
    stop_recording(-EFBIG);
    return;
  }
  const long fd = descriptor < 0 ? open_file() : descriptor;
  long written = fd;
  if (!failed(fd)) {
    if (size >= kSlotSize) reserve(fd, offset + size);
    written = os::call(SYS_pwritev, fd, os::word(pieces), count, static_cast<long>(offset), 0);
    if (descriptor < 0) os::call(SYS_close, fd);
  }
  if (written != static_cast<long>(size)) {
    stop_recording(failed(written) ? written : -ENOSPC);
    return;
  }
  header->body_end = offset + size;
}

// With body_lock_ held.
void remember_module(uint64_t offset, uint64_t size) {
  if (!spots_ || spots_->count == Spots::kRoom) {
    auto* fresh = static_cast<Spots*>(os::allocate(sizeof(Spots)));
    if (!fresh) return;
    fresh->next = spots_;
    spots_ = fresh;
  }
  spots_->at[spots_->count++] = {offset, size};
}

// Appends a part of another file to the body. False if that fails.
bool append_from(long from, long to, uint64_t offset, uint64_t size) {
  while (size > 0) {
    char buffer[4096];
    const size_t part = size < sizeof buffer ? size : sizeof buffer;
    const long got = os::call(SYS_pread64, from, os::word(buffer), static_cast<long>(part),
                              static_cast<long>(offset));
    if (got <= 0) return false;
    if (os::call(SYS_pwrite64, to, os::word(buffer), got, static_cast<long>(header->body_end)) !=
        got) {
      return false;
    }
    header->body_end += static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return true;
}

void drain(ChunkHeader* chunk, long descriptor) {
  const uint32_t padded = (chunk->used + 7) & ~7u;
  chunk->checksum = recording::checksum(chunk + 1, padded);
  {
    os::Guard guard(body_lock_);
    // All of the slot, unless it is mostly empty.
    const uint32_t size = padded > kSlotSize / 2 ? kSlotSize : padded + uint32_t{sizeof *chunk};
    iovec piece{chunk, size};
    append(&piece, 1, size, (header->body_end + kSlotSize - 1) / kSlotSize * kSlotSize, descriptor);
    if (full_) header->dropped_bytes += chunk->used;
  }
  // The end of an open chunk is where zeros begin. The marker goes first: what is half cleared must
  // not be taken for a chunk.
  __atomic_store_n(&chunk->marker, 0, __ATOMIC_RELEASE);
  os::clear(chunk, sizeof *chunk + padded);
  os::Guard guard(lock_);
  free_slot(chunk);
}

void open_chunk(Stream& stream) {
  tell_if_stopped();
  for (;;) {
    lock_.lock();
    if (free_) break;
    lock_.unlock();
    if (drain_one_chunk(-1)) continue;
    os::Guard body_guard(body_lock_);
    os::Guard guard(lock_);
    if (!free_) add_window(windows_ ? header->windows[windows_ - 1].slots * 2 : kFirstSlots);
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

void finish_chunk(ChunkHeader* chunk, size_t used) {
  chunk->used = static_cast<uint32_t>(used);
  bool queued = false;
  {
    os::Guard guard(lock_);
    if (queue_count_ < kQueueSize) {
      queue_[(queue_first_ + queue_count_++) % kQueueSize] = chunk;
      queued = true;
    }
  }
  if (!queued) {
    drain(chunk, -1);
  } else if (keeper_runs) {
    __atomic_store_n(&work_, 1, __ATOMIC_RELEASE);
    os::futex_wake(&work_, 1);
  }
}

}  // namespace

bool open_recording(const char* path) {
  path_ = path;
  const long fd = os::call(SYS_open, os::word(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  long at = fd;
  if (!failed(fd)) {
    os::call(SYS_close, fd);
    at = map_part(0, kHeaderSize);
  }
  if (failed(at)) {
    os::complain("the program runs unrecorded: ", path, reason_of(at));
    return false;
  }
  header = reinterpret_cast<FileHeader*>(at);
  header->version = recording::kVersion;
  header->slot_size = kSlotSize;
  header->pid = os::process_id();
  header->body_end = kHeaderSize;
  {
    os::Guard body_guard(body_lock_);
    os::Guard guard(lock_);
    add_window(kFirstSlots);
  }
  header->body_begin = kHeaderSize;
  os::copy(header->magic, recording::kMagic, sizeof header->magic);
  return true;
}

void next_chunk(Stream& stream, const char* cursor) {
  if (stream.chunk) {
    ChunkHeader* chunk = stream.chunk;
    stream.chunk = nullptr;
    const auto used = static_cast<size_t>(cursor - reinterpret_cast<const char*>(chunk + 1));
    finish_chunk(chunk, used);
  }
  open_chunk(stream);
}

void abandon_chunk(Stream& stream) {
  open_chunk(stream);
}

void append_module(const Bytes* pieces, size_t count) {
  constexpr size_t kMost = 8;
  static const uint64_t zeros = 0;
  iovec parts[kMost + 2];
  ChunkHeader chunk{};
  size_t used = 0;
  parts[0] = {&chunk, sizeof chunk};
  for (size_t i = 0; i < count && i < kMost; i++) {
    parts[i + 1] = {const_cast<void*>(pieces[i].at), pieces[i].size};
    used += pieces[i].size;
  }
  const size_t padding = (8 - used % 8) % 8;
  parts[count + 1] = {const_cast<uint64_t*>(&zeros), padding};
  os::Guard guard(body_lock_);
  chunk.marker = recording::kChunkMarker;
  chunk.kind = StreamKind::modules;
  chunk.ordinal = modules_++;
  chunk.used = static_cast<uint32_t>(used);
  const uint64_t offset = header->body_end;
  append(parts, static_cast<int>(count + 2), sizeof chunk + used + padding, offset, -1);
  if (!full_) remember_module(offset, header->body_end - offset);
}

void adopt_modules() {
  os::Guard guard(body_lock_);
  const long from = os::call(SYS_open, os::word(parent_path_), O_RDONLY | O_CLOEXEC);
  const long to = open_file();
  bool fine = !failed(from) && !failed(to);
  for (Spots* block = spots_; block; block = block->next) {
    for (size_t i = 0; fine && i < block->count; i++) {
      const uint64_t offset = header->body_end;
      fine = append_from(from, to, block->at[i].offset, block->at[i].size);
      block->at[i].offset = offset;
    }
  }
  if (!failed(from)) os::call(SYS_close, from);
  if (!failed(to)) os::call(SYS_close, to);
  if (!fine) stop_recording(failed(from) ? from : failed(to) ? to : -ENOSPC);
}

long open_for_keeper() {
  return open_file();
}

bool drain_one_chunk(long descriptor) {
  ChunkHeader* chunk = nullptr;
  {
    os::Guard guard(lock_);
    __atomic_store_n(&work_, 0, __ATOMIC_RELAXED);
    if (queue_count_ == 0) return false;
    chunk = queue_[queue_first_];
    queue_first_ = (queue_first_ + 1) % kQueueSize;
    queue_count_--;
  }
  drain(chunk, descriptor);
  return true;
}

void wait_for_chunks(uint64_t timeout_ns) {
  os::futex_wait(&work_, 0, timeout_ns);
}

void release_reserve() {
  tell_if_stopped();
  os::Guard guard(body_lock_);
  if (reserved_end_ <= header->body_end) return;
  const long fd = open_file();
  if (failed(fd)) return;
  os::call(SYS_ftruncate, fd, static_cast<long>(header->body_end));
  os::call(SYS_close, fd);
  reserved_end_ = 0;
}

void abandon_recording() {
  parent_path_ = path_;
  header = nullptr;
  free_ = nullptr;
  queue_first_ = queue_count_ = 0;
  windows_ = 0;
  modules_ = reserved_end_ = 0;
  full_ = keeper_runs = false;
  lock_ = os::Lock();
  body_lock_ = os::Lock();
}

}  // namespace foretell::rt
