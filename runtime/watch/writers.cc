// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/writers.h"

#include "runtime/platform/os.h"
#include "runtime/watch/shadow.h"
#include "runtime/watch/watcher.h"

namespace foretell::rt::watch {

bool follows_reads = true;

namespace {

struct Writers {
  uint32_t of_byte[watching::kGranule];  // the epoch of the last write; 0: nobody knows
  const void* lock;                      // that they were written under
};
constexpr uint32_t kMostWriters = 1 << 20;
// Contended granules have the number of their writers where others have that of their readers.
constexpr uint32_t kIsNumber = 1u << 31;
Writers* writers_ = nullptr;
uint32_t made_ = 0;

// With which clocks the last segments of a slot began, as far as they were not those of the segment
// before.
struct Beginnings {
  static constexpr uint32_t kMost = 64;
  struct {
    uint32_t segment;
    Clock clock;
  } at[kMost];
  uint32_t count;  // ever

  const Clock* of(uint32_t segment) const {
    for (uint32_t i = count; i > 0 && i + kMost > count; i--) {
      const auto& one = at[(i - 1) % kMost];
      if (one.segment <= segment) return &one.clock;
    }
    return nullptr;
  }
};
Beginnings* beginnings_[watching::kMostSlots];

Writers* writers_of(uint64_t granule) {
  const uint32_t number = readers_of(granule);
  return number & kIsNumber ? &writers_[number & ~kIsNumber] : nullptr;
}

Writers* find_or_add(uint64_t granule) {
  if (Writers* found = writers_of(granule)) return found;
  if (!writers_) writers_ = static_cast<Writers*>(os::allocate(kMostWriters * sizeof(Writers)));
  if (!writers_ || made_ == kMostWriters) return nullptr;
  readers_of(granule) = kIsNumber | made_;
  writers_[made_] = {};
  return &writers_[made_++];
}

bool is_contended(uint64_t granule) {
  return word_of(granule) >= watching::kFound;
}

// The bytes of the access in the granule: first to end, counted from its beginning.
struct Bytes {
  Bytes(uint64_t granule, uint64_t address, uint64_t size)
      : first(address > granule ? address - granule : 0),
        end(address + size < granule + watching::kGranule ? address + size - granule
                                                          : watching::kGranule) {}
  uint64_t first, end;
};

// What the watcher learns from having read what was written in that epoch.
bool learn(Watcher& watcher, uint32_t epoch) {
  const uint32_t slot = slot_of(epoch), segment = segment_of(epoch);
  if (epoch == 0 || slot == watcher.slot || watcher.clock.knows(epoch)) return false;
  bool is_new = false;
  if (segment > 1 && !watcher.clock.knows(epoch_of(slot, segment - 1))) {
    is_new = watcher.clock.set(slot, segment - 1);
  }
  const Clock* before = beginnings_[slot] ? beginnings_[slot]->of(segment) : nullptr;
  if (!before) return is_new;
  return watcher.clock.join_others(*before, slot) || is_new;
}

void set_writers(uint64_t address, uint64_t size, uint32_t epoch, const void* lock) {
  if (!lock) epoch = 0;
  const Granules granules(address, size);
  for (uint64_t at = granules.first; at < granules.end; at += watching::kGranule) {
    if (!is_contended(at)) continue;
    Writers* writers = epoch ? find_or_add(at) : writers_of(at);
    if (!writers) continue;
    if (writers->lock != lock) *writers = {};
    writers->lock = lock;
    const Bytes bytes(at, address, size);
    for (uint64_t i = bytes.first; i < bytes.end; i++) writers->of_byte[i] = epoch;
  }
}

}  // namespace

void follow_read(Watcher& watcher, const void* address, uint64_t size) {
  if (!writers_) return;
  const auto begin = reinterpret_cast<uint64_t>(address);
  bool learned = false;
  const Granules granules(begin, size);
  for (uint64_t at = granules.first; at < granules.end; at += watching::kGranule) {
    const Writers* writers = is_contended(at) ? writers_of(at) : nullptr;
    if (!writers || !watcher.locks.contains(writers->lock)) continue;
    const Bytes bytes(at, begin, size);
    for (uint64_t i = bytes.first; i < bytes.end; i++) {
      if (i > bytes.first && writers->of_byte[i] == writers->of_byte[i - 1]) continue;
      learned |= learn(watcher, writers->of_byte[i]);
    }
  }
  if (!learned) return;
  begin_segment(watcher);
  keep_clock(watcher);
}

void follow_write(Watcher& watcher, const void* address, uint64_t size) {
  if (!follows_reads) return;
  set_writers(reinterpret_cast<uint64_t>(address), size, watcher.epoch(), watcher.locks.last());
}

void forget_writers(const void* address, uint64_t size) {
  if (writers_) set_writers(reinterpret_cast<uint64_t>(address), size, 0, nullptr);
}

void guess_writer(const Watcher& finder, uint64_t granule, uint32_t epoch) {
  if (follows_reads) set_writers(granule, watching::kGranule, epoch, finder.locks.last());
}

void begin_writers(uint64_t granule) {
  if (!writers_) {
    readers_of(granule) = 0;
  } else if (Writers* writers = writers_of(granule)) {
    *writers = {};
  } else {
    readers_of(granule) = 0;
  }
}

void keep_clock(const Watcher& watcher) {
  if (!follows_reads) return;
  Beginnings*& own = beginnings_[watcher.slot];
  if (!own) own = static_cast<Beginnings*>(os::allocate(sizeof(Beginnings)));
  if (!own) return;
  auto& next = own->at[own->count++ % Beginnings::kMost];
  next.segment = watcher.segment;
  next.clock.assign(watcher.clock);
}

void forget_all_writers() {
  if (writers_) os::release(writers_, kMostWriters * sizeof(Writers));
  writers_ = nullptr;
  made_ = 0;
  for (Beginnings*& one : beginnings_) {
    if (one) one->count = 0;
  }
}

}  // namespace foretell::rt::watch
