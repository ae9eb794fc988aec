#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "os.h"

namespace foretell::rt {

using recording::kChunkSize;
using recording::kHeaderSize;

FileHeader* header = nullptr;
bool keeper_runs = false;

namespace {

constexpr uint64_t kWindowChunks = 16;
constexpr size_t kWindowSize = kWindowChunks * kChunkSize;
constexpr uint32_t kFinishQueue = 64;

const char* path_ = nullptr;
os::Lock lock_;                // all of the below
char* window_ = nullptr;       // the window chunks are handed out from
uint64_t window_used_ = 0;     // chunks of it handed out
uint64_t window_touched_ = 0;  // chunks of it whose pages the keeper has touched
char* next_window_ = nullptr;  // prepared by the keeper
uint64_t windows_ = 0;         // reserved in the file so far
bool full_ = false;
ChunkHeader* finished_[kFinishQueue];
uint32_t finished_count_ = 0;
uint32_t work_ = 0;  // futex of the keeper

os::Lock modules_lock_;
Stream modules_{.kind = StreamKind::modules};
char* modules_at_ = nullptr;

bool failed(long result) {
  return result < 0 && result > -4096;
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
      return "no such directory";
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

void stop_recording(long result) {
  if (full_) return;
  full_ = true;
  const char* reason = reason_of(result);
  os::complain("recording stops here, the program goes on: ", reason);
  const size_t size = os::length(reason);
  os::copy(header->error, reason, size < sizeof header->error ? size : sizeof header->error - 1);
}

// Reserves and maps part of the file. A negative result is the error.
long map_part(uint64_t offset, size_t size) {
  const long fd = os::call(SYS_open, os::word(path_), O_RDWR | O_CLOEXEC);
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

long reserve_window() {
  const long at = map_part(kHeaderSize + windows_ * kWindowSize, kWindowSize);
  if (!failed(at)) windows_++;
  return at;
}

// With lock_ held. Null if the disk is full.
ChunkHeader* take_chunk() {
  if (!window_ || window_used_ == kWindowChunks) {
    if (full_) return nullptr;
    if (!next_window_) {
      const long at = reserve_window();
      if (failed(at)) {
        stop_recording(at);
        return nullptr;
      }
      next_window_ = reinterpret_cast<char*>(at);
    }
    window_ = next_window_;
    next_window_ = nullptr;
    window_used_ = window_touched_ = 0;
  }
  header->chunk_count++;
  return reinterpret_cast<ChunkHeader*>(window_ + kChunkSize * window_used_++);
}

void finish(ChunkHeader* chunk) {
  chunk->checksum = recording::checksum(chunk + 1, chunk->padding);
  // A chunk is finished once `used` is set: its sum must be there before.
  __atomic_store_n(&chunk->used, chunk->padding, __ATOMIC_RELEASE);
  os::call(SYS_munmap, os::word(chunk), kChunkSize);
}

// `padding` holds the size until the sum is known.
void queue_finish(ChunkHeader* chunk, size_t used) {
  chunk->padding = static_cast<uint32_t>(used);
  if (keeper_runs && finished_count_ < kFinishQueue) {
    finished_[finished_count_++] = chunk;
  } else {
    finish(chunk);
  }
}

void open_chunk(Stream& stream) {
  ChunkHeader* chunk = take_chunk();
  stream.on_disk = chunk != nullptr;
  if (!chunk) {
    chunk = static_cast<ChunkHeader*>(os::allocate(kChunkSize));
    if (!chunk) {
      os::complain("out of memory");
      os::exit_process(70);
    }
  }
  chunk->kind = stream.kind;
  chunk->thread = stream.thread;
  chunk->ordinal = stream.ordinal++;
  chunk->marker = recording::kChunkMarker;
  stream.chunk = chunk;
  if (keeper_runs) {
    __atomic_store_n(&work_, 1, __ATOMIC_RELEASE);
    os::futex_wake(&work_, 1);
  }
}

void next_chunk_used(Stream& stream, size_t used) {
  os::Guard guard(lock_);
  if (stream.chunk && !stream.on_disk) {
    header->dropped_records += used / sizeof(Record);
    return;
  }
  if (stream.chunk) queue_finish(stream.chunk, used);
  open_chunk(stream);
}

}  // namespace

bool open_recording(const char* path) {
  path_ = path;
  const long fd = os::call(SYS_open, os::word(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (failed(fd)) {
    os::complain("cannot record to ", path, reason_of(fd));
    return false;
  }
  os::call(SYS_close, fd);
  const long at = map_part(0, kHeaderSize);
  if (failed(at)) {
    os::complain("cannot record to ", path, reason_of(at));
    return false;
  }
  header = reinterpret_cast<FileHeader*>(at);
  header->version = recording::kVersion;
  header->chunk_size = kChunkSize;
  header->pid = os::process_id();
  os::copy(header->magic, recording::kMagic, sizeof header->magic);
  return true;
}

void next_chunk(Stream& stream, const Record* cursor) {
  next_chunk_used(stream,
                  stream.chunk ? static_cast<size_t>(cursor - stream.begin()) * sizeof(Record) : 0);
}

void abandon_chunk(Stream& stream) {
  os::Guard guard(lock_);
  open_chunk(stream);
}

void append_module_bytes(const void* bytes, size_t size) {
  os::Guard guard(modules_lock_);
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const auto end = reinterpret_cast<char*>(modules_.chunk ? modules_.end() : nullptr);
    if (modules_at_ == end) {
      next_chunk_used(modules_, recording::kChunkPayload);
      modules_at_ = reinterpret_cast<char*>(modules_.begin());
      if (!modules_.on_disk) return;
      continue;
    }
    const size_t room = static_cast<size_t>(end - modules_at_);
    const size_t part = size < room ? size : room;
    os::copy(modules_at_, from, part);
    modules_at_ += part;
    from += part;
    size -= part;
  }
}

bool prepare_and_finish_chunks() {
  ChunkHeader* to_finish = nullptr;
  char* to_touch = nullptr;
  bool window_wanted = false;
  {
    os::Guard guard(lock_);
    __atomic_store_n(&work_, 0, __ATOMIC_RELAXED);
    if (finished_count_ > 0) {
      to_finish = finished_[--finished_count_];
    } else if (window_) {
      if (window_touched_ < window_used_) window_touched_ = window_used_;
      if (window_touched_ < kWindowChunks && window_touched_ < window_used_ + 4) {
        to_touch = window_ + kChunkSize * window_touched_++;
      } else if (window_used_ + 4 >= kWindowChunks && !next_window_ && !full_) {
        window_wanted = true;
      }
    }
  }
  constexpr long kPopulateWrite = 23;  // MADV_POPULATE_WRITE; a kernel without it says EINVAL
  if (to_finish) finish(to_finish);
  if (to_touch) os::call(SYS_madvise, os::word(to_touch), kChunkSize, kPopulateWrite);
  if (window_wanted) {
    os::Guard guard(lock_);
    if (!next_window_ && !full_) {
      const long at = reserve_window();
      if (failed(at)) {
        stop_recording(at);
      } else {
        next_window_ = reinterpret_cast<char*>(at);
      }
    }
  }
  return to_finish || to_touch || window_wanted;
}

void wait_for_chunk_work(uint64_t timeout_ns) {
  os::futex_wait(&work_, 0, timeout_ns);
}

void abandon_recording() {
  header = nullptr;
  window_ = next_window_ = nullptr;
  window_used_ = windows_ = finished_count_ = 0;
  full_ = keeper_runs = false;
  lock_ = os::Lock();
  modules_lock_ = os::Lock();
  modules_ = {.kind = StreamKind::modules};
  modules_at_ = nullptr;
}

}  // namespace foretell::rt
