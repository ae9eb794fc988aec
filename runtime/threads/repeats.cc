// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/repeats.h"

#include "runtime/platform/os.h"

namespace foretell::rt {

using watching::kGranule;

// What the thread read in a granule.
struct GranuleRead {
  uint64_t granule;
  uint64_t segment;
  uint64_t bytes;  // all bits of each byte that was read
  uint64_t value;
};

namespace {

constexpr size_t kFirstRoom = 256;

// The bytes of the access that lie in a granule, as they are now. Granules do not cross pages.
struct Part {
  Part(uint64_t granule, uint64_t begin, uint64_t end) {
    const uint64_t first = begin > granule ? begin - granule : 0;
    const uint64_t last = end < granule + kGranule ? end - granule : kGranule;
    bytes = ~uint64_t{0} >> 8 * (kGranule - (last - first)) << 8 * first;
    __builtin_memcpy(&value, reinterpret_cast<const void*>(granule), kGranule);
  }
  uint64_t bytes;
  uint64_t value;
};

bool is_current(const Reads& reads, const GranuleRead& read) {
  return read.segment == reads.segment;
}

// Where the granule is, or a place for it. What was read in an earlier segment counts no more, so its
// place is free: the table has room for the reads of one segment, and nobody needs to clear it.
GranuleRead* place_of(const Reads& reads, uint64_t granule) {
  const size_t last = reads.room - 1;
  for (size_t at = (granule * 0x9e3779b97f4a7c15 >> 24) & last;; at = (at + 1) & last) {
    GranuleRead& read = reads.at[at];
    if (read.granule == granule || !is_current(reads, read)) return &read;
  }
}

bool grow(Reads& reads) {
  const Reads old = reads;
  const size_t room = old.room ? 2 * old.room : kFirstRoom;
  auto* at = static_cast<GranuleRead*>(os::allocate(room * sizeof(GranuleRead)));
  if (!at) return false;
  reads.at = at;
  reads.room = room;
  for (size_t i = 0; i < old.room; i++) {
    if (is_current(old, old.at[i])) *place_of(reads, old.at[i].granule) = old.at[i];
  }
  if (old.at) os::release(old.at, old.room * sizeof(GranuleRead));
  return true;
}

}  // namespace

bool is_repeat(const Thread* thread, const void* address, size_t size) {
  const Reads& reads = thread->reads;
  if (!reads.at || reads.seen != thread->filtering.seen) return false;
  const auto begin = reinterpret_cast<uint64_t>(address);
  for (uint64_t at = begin & ~(kGranule - 1); at < begin + size; at += kGranule) {
    const GranuleRead& read = *place_of(reads, at);
    const Part part(at, begin, begin + size);
    if (read.granule != at || !is_current(reads, read)) return false;
    if ((read.bytes & part.bytes) != part.bytes) return false;
    if ((read.value ^ part.value) & part.bytes) return false;
  }
  return true;
}

void remember_read(Thread* thread, const void* address, size_t size) {
  Reads& reads = thread->reads;
  if (reads.seen != thread->filtering.seen) {
    reads.seen = thread->filtering.seen;
    reads.segment++;
    reads.count = 0;
  }
  const auto begin = reinterpret_cast<uint64_t>(address);
  for (uint64_t at = begin & ~(kGranule - 1); at < begin + size; at += kGranule) {
    if (2 * reads.count >= reads.room && !grow(reads)) return;
    GranuleRead& read = *place_of(reads, at);
    if (!is_current(reads, read)) {
      reads.count++;
      read.bytes = 0;
    }
    const Part part(at, begin, begin + size);
    read.granule = at;
    read.segment = reads.segment;
    read.bytes |= part.bytes;
    read.value = (read.value & ~part.bytes) | (part.value & part.bytes);
  }
}

void forget_reads(Thread* thread) {
  if (thread->reads.at) {
    os::release(thread->reads.at, thread->reads.room * sizeof(GranuleRead));
  }
  thread->reads = {};
}

}  // namespace foretell::rt
