// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/watcher.h"

#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/watch/names.h"
#include "runtime/watch/places.h"
#include "runtime/watch/readers.h"
#include "runtime/watch/shadow.h"
#include "runtime/watch/writers.h"

namespace foretell::rt::watch {

using watching::kFound;
using watching::kGranule;
using watching::kMoreReaders;
using watching::kRecorded;

bool watching_on = false;
bool gave_up = false;

namespace {

// Only atomics were there. They are recorded anyway, so nobody needs a name for the granule until a
// plain access comes.
constexpr uint64_t kAtomic = kFound - 1;

// A slot belongs to one thread at a time. Who comes after all that its last thread did may have it.
struct Slot {
  uint32_t last_segment;
  bool used;
};
Slot slots_[watching::kMostSlots];
uint32_t slots_made_ = 0;

// The shadow of large objects is filled when they are touched: 0 stands for their allocation.
struct LargeObject {
  uint64_t begin;
  uint64_t end;
  uint64_t word;
};
constexpr size_t kMostLarge = 1024;
LargeObject large_[kMostLarge];
size_t large_count_ = 0;

// Nobody else was ever there: whoever comes will know all that was done until then.
bool is_alone() {
  return slots_made_ <= 1;
}

uint32_t take_slot(const Clock& known) {
  for (uint32_t i = 0; i < slots_made_; i++) {
    Slot& slot = slots_[i];
    if (slot.used || slot.last_segment >= watching::kLastSegment) continue;
    if (!known.knows(epoch_of(i, slot.last_segment))) continue;
    slot.used = true;
    return i;
  }
  if (slots_made_ == watching::kMostSlots) {
    gave_up = true;
    return slots_made_ - 1;
  }
  slots_[slots_made_] = {0, true};
  return slots_made_++;
}

void enter_slot(Watcher& watcher) {
  watcher.slot = take_slot(watcher.clock);
  watcher.segment = ++slots_[watcher.slot].last_segment;
  watcher.clock.set(watcher.slot, watcher.segment);
  keep_clock(watcher);
}

void next_segment(Watcher& watcher) {
  Slot& slot = slots_[watcher.slot];
  if (watcher.segment >= watching::kLastSegment) {
    slot.used = false;
    return enter_slot(watcher);
  }
  watcher.segment = ++slot.last_segment;
  watcher.clock.set(watcher.slot, watcher.segment);
}

void find(const Watcher& finder, uint64_t granule) {
  const auto writer = static_cast<uint32_t>(word_of(granule)) & ~kMoreReaders;
  word_of(granule) = kFound;
  begin_writers(granule);
  // Perhaps the last thread that wrote there wrote other bytes. But the run will be made again, and
  // then it is known.
  if (writer < kMoreReaders - 2) guess_writer(finder, granule, writer);
  note_found(granule);
}

uint64_t fresh_word(uint64_t granule) {
  for (size_t i = 0; i < large_count_; i++) {
    if (granule >= large_[i].begin && granule < large_[i].end) return large_[i].word;
  }
  return 0;
}

void forget_large(uint64_t begin, uint64_t size) {
  if (size < kLarge) return;
  for (size_t i = large_count_; i > 0; i--) {
    LargeObject& one = large_[i - 1];
    if (one.begin < begin + size && begin < one.end) one = large_[--large_count_];
  }
}

// What 0 means in the object.
void set_fresh(uint64_t begin, uint64_t size, uint64_t word) {
  if (large_count_ < kMostLarge) {
    large_[large_count_++] = {begin, begin + size, word};
    return;
  }
  for (uint64_t at = Granules(begin, size).first; at < begin + size; at += kGranule) {
    if (word_of(at) == 0) word_of(at) = word;
  }
}

// `word` is that of the granule, and not contended. False if the access conflicts with one that is
// not known.
bool may_write(const Watcher& watcher, uint64_t granule, uint64_t word) {
  const auto writer = static_cast<uint32_t>(word);
  if (!watcher.clock.knows(writer & ~kMoreReaders)) return false;
  if (!watcher.clock.knows(static_cast<uint32_t>(word >> 32))) return false;
  return !(writer & kMoreReaders) || knows_all(watcher.clock, readers_of(granule));
}

void write_granule(const Watcher& watcher, uint64_t granule, uint64_t word) {
  if (!may_write(watcher, granule, word)) return find(watcher, granule);
  word_of(granule) = watching::twice(watcher.epoch());
}

void read_granule(const Watcher& watcher, uint64_t granule, uint64_t word) {
  auto writer = static_cast<uint32_t>(word);
  const auto reader = static_cast<uint32_t>(word >> 32);
  if (!watcher.clock.knows(writer & ~kMoreReaders)) return find(watcher, granule);
  if (!watcher.clock.knows(reader) || writer & kMoreReaders) {
    uint32_t& others = readers_of(granule);
    if (!(writer & kMoreReaders)) others = kNoReaders;
    if (!add_reader(others, reader, watcher.epoch(), watcher.clock)) return find(watcher, granule);
    writer = others == kNoReaders ? writer & ~kMoreReaders : writer | kMoreReaders;
  }
  word_of(granule) = uint64_t{watcher.epoch()} << 32 | writer;
}

uint64_t number_of(const void* address) {
  return reinterpret_cast<uint64_t>(address);
}

}  // namespace

bool start(const char* names) {
  if (!reserve_shadow()) {
    os::complain("cannot watch: there is no address space for it; everything is recorded");
    return false;
  }
  load_names(names);
  note_first_thread();
  watching_on = true;
  return true;
}

Watcher* new_watcher(Watcher* creator) {
  auto* watcher = static_cast<Watcher*>(os::allocate_small(sizeof(Watcher)));
  if (!watcher) return nullptr;
  *watcher = Watcher();
  if (creator) {
    watcher->clock.assign(creator->clock);
    next_segment(*creator);
  }
  enter_slot(*watcher);
  return watcher;
}

void end_watcher(Watcher* watcher) {
  slots_[watcher->slot].used = false;
}

bool touch(Watcher& watcher, const void* address, uint64_t size, Touch touch) {
  const Granules granules(number_of(address), size);
  const uint32_t epoch = watcher.epoch();
  bool is_recorded = false;
  for (uint64_t at = granules.first; at < granules.end; at += kGranule) {
    uint64_t word = word_of(at);
    if (word >= kFound) {
      is_recorded |= word == kRecorded;
      continue;
    }
    if (word == kAtomic || watcher.blocks > 0) {
      find(watcher, at);
      continue;
    }
    if (word == 0 && large_count_) word = fresh_word(at);
    if (touch == Touch::write) {
      if (word != watching::twice(epoch)) write_granule(watcher, at, word);
    } else if (static_cast<uint32_t>(word >> 32) != epoch) {
      read_granule(watcher, at, word);
    }
  }
  return is_recorded;
}

uint64_t fresh_until(uint64_t granule) {
  uint64_t until = ~uint64_t{0};
  for (size_t i = 0; i < large_count_; i++) {
    const LargeObject& object = large_[i];
    if (granule >= object.begin && granule < object.end) return object.end;
    if (object.begin > granule && object.begin < until) until = object.begin;
  }
  return until;
}

void touch_atomically(Watcher& watcher, const void* address, uint64_t size) {
  const Granules granules(number_of(address), size);
  for (uint64_t at = granules.first; at < granules.end; at += kGranule) {
    uint64_t& word = word_of(at);
    if (word == 0) word = kAtomic;
    if (word < kAtomic) find(watcher, at);
  }
}

void allocate(Watcher& watcher, const void* address, uint64_t size, uint64_t key) {
  const uint64_t begin = number_of(address);
  uint64_t word = is_alone() ? 0 : watching::twice(watcher.epoch());
  forget_large(begin, size);
  if (size >= kLarge && large_count_ < kMostLarge) {
    clear(begin, size);
    if (word != 0) set_fresh(begin, size, word);
    word = 0;
  }
  begin_object(begin, size, key, word);
}

void free(Watcher& watcher, const void* address) {
  const uint64_t begin = number_of(address);
  const uint64_t size = size_of_object(begin);
  if (size == 0) return;
  const uint64_t freed = watching::twice(watcher.epoch());
  if (!is_alone()) {
    // Who still comes there comes after a write. Contended granules stay recorded.
    for_each_used(begin, size, [&](uint64_t granule, uint64_t word) {
      if (word < kAtomic && !may_write(watcher, granule, word)) {
        find(watcher, granule);
      } else if (word <= kAtomic) {
        word_of(granule) = freed;
      }
    });
  }
  end_object(begin);
  forget_large(begin, size);
  if (!is_alone() && size >= kLarge) set_fresh(begin, size, freed);
}

void HeldLocks::add(const void* lock) {
  if (count_ == kMost) remove(at_[0]);
  at_[count_++] = lock;
}

void HeldLocks::remove(const void* lock) {
  uint32_t i = count_;
  while (i > 0 && at_[i - 1] != lock) i--;
  if (i == 0) return;
  for (count_--; i <= count_; i++) at_[i - 1] = at_[i];
}

bool HeldLocks::contains(const void* lock) const {
  for (uint32_t i = 0; i < count_; i++) {
    if (at_[i] == lock) return true;
  }
  return false;
}

void begin_segment(Watcher& watcher) {
  next_segment(watcher);
}

void release_into(Watcher& watcher, Clock& clock) {
  clock.join(watcher.clock);
  next_segment(watcher);
}

void acquire_from(Watcher& watcher, const Clock& clock) {
  if (!watcher.clock.join(clock)) return;
  next_segment(watcher);
  keep_clock(watcher);
}

namespace {

// All but the names.
void forget_watching() {
  if (!watching_on) return;
  release_shadow();
  forget_readers();
  forget_all_writers();
  large_count_ = slots_made_ = 0;
  gave_up = false;
  watching_on = reserve_shadow();
  if (watching_on) mark_living();
}
FORETELL_IN_FORKED_CHILD(forget_watching);

}  // namespace

}  // namespace foretell::rt::watch
