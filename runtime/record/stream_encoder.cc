// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/stream_encoder.h"

#include "recording/encoder.h"
#include "runtime/platform/os.h"
#include "runtime/record/body.h"

namespace foretell::rt {

using recording::kHeaderSize;
using recording::kSlotSize;

constexpr uint32_t kFirstSettling = 12;

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

recording::codec::SiteSize site_sizes_[recording::kFullMark + 1];

// Which way is cheaper depends on the program, whose records may be easy or hard to predict, and on
// the machine: a page of the file that it has not used lately costs ten times as much as another.
// So both are measured. The dearer one is tried again after a while, the later the dearer it was.
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
  chunk.checksum = recording::checksum(&chunk + 1, recording::codec::padded(chunk.used));
  os::Guard guard(body::lock);
  iovec piece{&chunk, size};
  body::append(&piece, 1, size, (header->body_end + alignment - 1) / alignment * alignment,
               descriptor);
  if (body::is_stopped()) header->dropped_bytes += raw;
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

}  // namespace

void note_site(uint32_t site, Op op) {
  site_sizes_[site] = recording::codec::site_size_of(op);
}

StreamEncoder* new_stream_encoder() {
  auto* encoder = static_cast<StreamEncoder*>(os::allocate(sizeof(StreamEncoder)));
  if (!encoder) return nullptr;
  encoder->users = 1;
  encoder->settling = kFirstSettling;
  return encoder;
}

void add_user(StreamEncoder* encoder) {
  __atomic_add_fetch(&encoder->users, 1, __ATOMIC_RELAXED);
}

void drop_user(StreamEncoder* encoder) {
  if (encoder && __atomic_sub_fetch(&encoder->users, 1, __ATOMIC_ACQ_REL) == 0) {
    os::release(encoder, sizeof *encoder);
  }
}

void append_chunk(ChunkHeader& chunk, StreamEncoder* encoder, long descriptor) {
  if (body::is_stopped()) {
    os::Guard guard(body::lock);
    header->dropped_bytes += chunk.used;
    return;
  }
  if (encoder && wants_encoding(*encoder) && append_encoded(chunk, *encoder, descriptor)) return;
  append_raw(chunk, encoder, descriptor);
}

}  // namespace foretell::rt
