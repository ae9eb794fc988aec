// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/shadow.h"

#include <sys/mman.h>

#include "runtime/platform/os.h"

namespace foretell::rt::watch {

Shadow shadow;
bool shadow_overlaps = false;

namespace {

char* reserve(uint64_t size) {
  const long at = os::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return nullptr;
  os::call(SYS_madvise, at, static_cast<long>(size), MADV_DONTDUMP);
  return reinterpret_cast<char*>(at);
}

}  // namespace

namespace {

constexpr unsigned kStretchBits = 32;
// Which of the addresses that meet in a stretch is in use: how often kShadowSize lies below it, plus
// one; 0: none.
uint32_t owners_[watching::kShadowSize >> kStretchBits];

}  // namespace

void claim(uint64_t address, uint64_t size) {
  if (size == 0) return;
  const uint64_t last = (address + size - 1) >> kStretchBits;
  for (uint64_t stretch = address >> kStretchBits; stretch <= last; stretch++) {
    const auto owner = static_cast<uint32_t>((stretch << kStretchBits) / watching::kShadowSize) + 1;
    uint32_t& place = owners_[stretch % (sizeof owners_ / sizeof owners_[0])];
    if (place == 0) place = owner;
    if (place != owner) shadow_overlaps = true;
  }
}

bool reserve_shadow() {
  // An access at the end of what the mask leaves may have its last granule behind it.
  shadow.words = reserve(watching::kShadowSize + kPage);
  shadow.readers = shadow.words ? reserve(watching::kShadowSize / 2 + kPage) : nullptr;
  if (shadow.readers) return true;
  release_shadow();
  return false;
}

void release_shadow() {
  if (shadow.words) os::release(shadow.words, watching::kShadowSize + kPage);
  if (shadow.readers) os::release(shadow.readers, watching::kShadowSize / 2 + kPage);
  shadow = {};
}

void fill(uint64_t address, uint64_t size, uint64_t word) {
  const Granules granules(address, size);
  for (uint64_t at = granules.first; at < granules.end; at += watching::kGranule) {
    word_of(at) = word;
  }
}

void clear(uint64_t address, uint64_t size) {
  const uint64_t begin = (address + kPage - 1) & ~(kPage - 1);
  const uint64_t end = (address + size) & ~(kPage - 1);
  if (begin >= end) return fill(address, size, 0);
  fill(address, begin - address, 0);
  os::call(SYS_madvise, os::word(shadow.words + (begin & kShadowMask)),
           static_cast<long>(end - begin), MADV_DONTNEED);
  fill(end, address + size - end, 0);
}

size_t equal_pages(const char* at, size_t pages, bool& used) {
  unsigned char resident[1024];
  const size_t asked = pages < sizeof resident ? pages : sizeof resident;
  if (os::call(SYS_mincore, os::word(at), static_cast<long>(asked * kPage), os::word(resident)) <
      0) {
    used = true;
    return asked;
  }
  used = resident[0] & 1;
  size_t equal = 1;
  while (equal < asked && (resident[equal] & 1) == (resident[0] & 1)) equal++;
  return equal;
}

}  // namespace foretell::rt::watch
