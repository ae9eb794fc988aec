// SPDX-License-Identifier: Apache-2.0

// The shadow of the program's memory (recording/watching.h), and beside it the side table of
// readers. Both are reserved as a whole and take memory where they are used.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "recording/watching.h"

namespace foretell::rt::watch {

struct Shadow {
  char* words = nullptr;    // null: it could not be reserved
  char* readers = nullptr;  // numbers of sets, 4 bytes for each granule
};
extern Shadow shadow;

inline constexpr uint64_t kShadowMask = (watching::kShadowSize - 1) & ~(watching::kGranule - 1);

inline uint64_t& word_of(uint64_t address) {
  return *reinterpret_cast<uint64_t*>(shadow.words + (address & kShadowMask));
}
inline uint32_t& readers_of(uint64_t address) {
  return *reinterpret_cast<uint32_t*>(shadow.readers + ((address & kShadowMask) >> 1));
}

// The program has memory there. Addresses that are kShadowSize apart have the same shadow: if both
// are in use, what happens to one would erase what is known of the other, and `shadow_overlaps` says
// that what was found is not all. Looked at in stretches of 4 GiB.
void claim(uint64_t address, uint64_t size);
extern bool shadow_overlaps;

bool reserve_shadow();
void release_shadow();

// The granules that the bytes have a part of.
struct Granules {
  Granules(uint64_t address, uint64_t size)
      : first(address & ~(watching::kGranule - 1)), end(address + size) {}
  uint64_t first;
  uint64_t end;
};

void fill(uint64_t address, uint64_t size, uint64_t word);
// As if nobody had been there, and the memory of the shadow goes back to the system.
void clear(uint64_t address, uint64_t size);
// Calls visit(address of the granule, word) for the granules whose shadow is in use; of small
// ranges for all.
template <class Visit>
void for_each_used(uint64_t address, uint64_t size, Visit visit);

// How many of the pages at `at` are in use or, if the first is not, are not; `used` says which.
size_t equal_pages(const char* at, size_t pages, bool& used);

inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t kLarge = uint64_t{1} << 20;  // bytes of memory

template <class Visit>
void for_each_used(uint64_t address, uint64_t size, Visit visit) {
  const Granules granules(address, size);
  if (size < kLarge) {
    for (uint64_t at = granules.first; at < granules.end; at += watching::kGranule) {
      visit(at, word_of(at));
    }
    return;
  }
  for (uint64_t at = granules.first; at < granules.end;) {
    const uint64_t page = at & ~(kPage - 1);
    bool used = true;
    const size_t pages = equal_pages(shadow.words + (page & kShadowMask),
                                     (granules.end - page + kPage - 1) / kPage, used);
    const uint64_t stop = page + pages * kPage;
    for (; used && at < stop && at < granules.end; at += watching::kGranule) visit(at, word_of(at));
    at = stop;
  }
}

}  // namespace foretell::rt::watch
