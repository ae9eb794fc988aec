#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "codec.h"
#include "options.h"
#include "os.h"

namespace foretell::rt {

using recording::kHeaderSize;
using recording::kMaxWindows;
using recording::kSlotSize;

FileHeader* header = nullptr;
bool keeper_runs = false;

struct StreamEncoder {
  os::Lock lock;
  uint32_t users;  // the stream, and its chunks that are not drained yet
  uint64_t next_ordinal;
  // CPU time per 1024 bytes of records, smoothed: as they are, encoded. 0 if not known.
  uint64_t raw_cost;
  uint64_t encoded_cost;
  uint64_t drained;     // chunks
  uint64_t next_trial;  // of what seems dearer
  uint32_t settling;    // encoded chunks that do not count: the model is new or out of date
  uint32_t trial_left;  // chunks
  recording::Encoder encoder;
};

namespace {

constexpr uint64_t kFirstSlots = 16;
constexpr size_t kQueueSize = 64;
// The keeper is woken for several chunks at a time: waking a thread costs as much as draining a
// tenth of a chunk, on a virtual machine more.
constexpr size_t kBatch = 4;

// A chunk that waits to be drained.
struct Full {
  ChunkHeader* chunk;
  StreamEncoder* encoder;  // null: as it is
};

const char* path_ = nullptr;

os::Lock lock_;  // slots, queue, windows
ChunkHeader* free_ = nullptr;
Full queue_[kQueueSize];
size_t queue_first_ = 0;
size_t queue_count_ = 0;
uint32_t windows_ = 0;
uint32_t awake_ = 0;  // futex of the keeper: 0 while it waits or is about to

os::Lock body_lock_;  // the end of the file: chunks are appended one after the other
bool full_ = false;
// By site: the bytes of value of its compact records plus 1, or 0 if it has none.
uint8_t site_sizes_[recording::kFullMark + 1];
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
  if (reason) os::complain("recording stops here; the program continues: ", reason);
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

// With lock_ held.
bool has_batch() {
  return queue_count_ >= kBatch || (queue_count_ > 0 && !free_);
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

// A write that wrote less than it was given does not say why; one behind it does.
long why_short(uint64_t offset) {
  const char nothing = 0;
  const long fd = open_file();
  if (failed(fd)) return fd;
  const long written = os::call(SYS_pwrite64, fd, os::word(&nothing), 1, static_cast<long>(offset));
  os::call(SYS_close, fd);
  return failed(written) ? written : -ENOSPC;
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
    reserve(fd, offset + size);
    written = os::call(SYS_pwritev, fd, os::word(pieces), count, static_cast<long>(offset), 0);
    if (descriptor < 0) os::call(SYS_close, fd);
  }
  if (written != static_cast<long>(size)) {
    stop_recording(failed(written) ? written : why_short(offset + size - 1));
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

// Which way is cheaper depends on the program, whose records may be easy or hard to foresee, and on
// the machine: a page of the file that it has not used lately costs ten times as much as another.
// So both are measured. The dearer one is tried again after a while, the later the dearer it was.
constexpr uint32_t kFirstSettling = 12;
constexpr uint32_t kSettling = 3;

bool wants_encoding(StreamEncoder& stream) {
  os::Guard guard(stream.lock);
  stream.drained++;
  if (stream.encoded_cost == 0) return true;
  if (stream.raw_cost == 0) return false;
  // What is about equal is decided by the size of the file.
  const bool encodes = stream.encoded_cost <= stream.raw_cost + stream.raw_cost / 8;
  if (stream.trial_left > 0) {
    stream.trial_left--;
    return !encodes;
  }
  if (stream.drained < stream.next_trial) return encodes;
  constexpr uint64_t kSoonest = 32;
  constexpr uint64_t kLatest = 1024;
  const uint64_t best = encodes ? stream.encoded_cost : stream.raw_cost;
  const uint64_t other = encodes ? stream.raw_cost : stream.encoded_cost;
  const uint64_t pause = other <= best ? kSoonest : kSoonest * other / best * other / best;
  stream.next_trial = stream.drained + (pause < kLatest ? pause : kLatest);
  if (!encodes) stream.settling = stream.trial_left = kSettling;
  return !encodes;
}

void note_cost(uint64_t& cost, uint64_t begin, uint64_t bytes) {
  const uint64_t ns = os::clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
  const uint64_t now = ns * 1024 / (bytes + 1) + 1;
  cost = cost ? (3 * cost + now) / 4 : now;
}

// `chunk` is in front of its payload, of which `used` bytes, padded to 8, count; the file gets
// `size` bytes of both.
void append_events(ChunkHeader& chunk, uint64_t size, uint64_t alignment, uint64_t raw,
                   long descriptor) {
  chunk.checksum = recording::checksum(&chunk + 1, (chunk.used + 7) & ~7u);
  os::Guard guard(body_lock_);
  iovec piece{&chunk, size};
  append(&piece, 1, size, (header->body_end + alignment - 1) / alignment * alignment, descriptor);
  if (full_) header->dropped_bytes += raw;
}

// False if another thread has encoded a later chunk of the stream.
bool append_encoded(const ChunkHeader& chunk, StreamEncoder& stream, long descriptor) {
  os::Guard guard(stream.lock);
  if (chunk.ordinal < stream.next_ordinal) return false;
  stream.next_ordinal = chunk.ordinal + 1;
  const uint64_t begin = os::clock_ns(CLOCK_THREAD_CPUTIME_ID);
  ChunkHeader& encoded = stream.encoder.header();
  encoded = chunk;
  encoded.decoded = chunk.used;
  const auto* records = reinterpret_cast<const char*>(&chunk + 1);
  const size_t size = stream.encoder.encode(records, chunk.used, site_sizes_);
  encoded.used = static_cast<uint32_t>(size);
  append_events(encoded, sizeof encoded + size, 8, chunk.used, descriptor);
  if (stream.settling > 0) {
    stream.settling--;
  } else {
    note_cost(stream.encoded_cost, begin, chunk.used);
  }
  return true;
}

// In whole pages, which costs a third less, and where a slot could begin if it is as long as one:
// the file system then takes one large piece of memory for it, which costs a quarter less.
void append_raw(ChunkHeader& chunk, StreamEncoder* stream, long descriptor) {
  const uint64_t begin = stream ? os::clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
  const uint64_t pages = (sizeof chunk + chunk.used + kHeaderSize - 1) / kHeaderSize;
  const uint64_t size = pages * kHeaderSize;
  append_events(chunk, size, size > kSlotSize / 2 ? kSlotSize : kHeaderSize, chunk.used,
                descriptor);
  if (!stream) return;
  os::Guard guard(stream->lock);
  note_cost(stream->raw_cost, begin, chunk.used);
}

void let_go(StreamEncoder* encoder) {
  if (encoder && __atomic_sub_fetch(&encoder->users, 1, __ATOMIC_ACQ_REL) == 0) {
    os::release(encoder, sizeof *encoder);
  }
}

void drain(const Full& full, long descriptor) {
  ChunkHeader* chunk = full.chunk;
  const uint32_t padded = (chunk->used + 7) & ~7u;
  if (!full.encoder || !wants_encoding(*full.encoder) ||
      !append_encoded(*chunk, *full.encoder, descriptor)) {
    append_raw(*chunk, full.encoder, descriptor);
  }
  let_go(full.encoder);
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

// In which `cursor` is the first free byte.
void finish_chunk(Stream& stream, const char* cursor, bool is_last) {
  ChunkHeader* chunk = stream.chunk;
  stream.chunk = nullptr;
  chunk->used = static_cast<uint32_t>(cursor - reinterpret_cast<const char*>(chunk + 1));
  // Short streams are not worth an encoder; without memory for one chunks stay as they are.
  if (!stream.encoder && !is_last) {
    stream.encoder = static_cast<StreamEncoder*>(os::allocate(sizeof *stream.encoder));
    if (stream.encoder) {
      stream.encoder->users = 1;
      stream.encoder->settling = kFirstSettling;
    }
  }
  if (stream.encoder) __atomic_add_fetch(&stream.encoder->users, 1, __ATOMIC_RELAXED);
  const Full full{chunk, stream.encoder};
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
  if (stream.chunk) finish_chunk(stream, cursor, false);
  open_chunk(stream);
}

void end_stream(Stream& stream, const char* cursor) {
  if (stream.chunk) finish_chunk(stream, cursor, true);
  let_go(stream.encoder);
  stream.encoder = nullptr;
}

void note_site(uint32_t site, recording::Op op) {
  const uint8_t size = recording::kCompactSize[static_cast<size_t>(op)];
  site_sizes_[site] = size == recording::kFullOnly ? 0 : static_cast<uint8_t>(size + 1);
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
  Full full{};
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
  awake_ = 0;
  lock_ = os::Lock();
  body_lock_ = os::Lock();
}

}  // namespace foretell::rt
