// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/filter.h"

#include <sys/mman.h>

#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

// 16 MiB of the address space that have cells.
struct Region {
  char* cells;
  Region* previous;
};

namespace {

constexpr uint64_t kRegionsSize = filter::kTableOffset + filter::kRegions * sizeof(int64_t);
constexpr uint64_t kTwice = 0x1'0000'0001;
constexpr uint64_t kFirstSeen = (uint64_t{1} << filter::kKeyBits | filter::kWholeKey) * kTwice;
// Hits between two looks whether the thread only waits.
constexpr int64_t kHits = 1 << 14;
// The filter pays if it leaves out a read for each step that is taken. Below that the processor
// guesses wrong too often whether one is left out.
constexpr uint64_t kWorthwhile = 1;
// What repeats may be long: a trial that failed is followed by a pause, and the next takes twice as
// long. After each failure the pause is longer in proportion, too.
constexpr uint64_t kFirstTrial = 1 << 13;
constexpr uint64_t kLongestTrial = 1 << 18;
constexpr uint64_t kFirstPause = 6;  // trials
constexpr uint64_t kPauseGrowth = 2;
constexpr uint64_t kLongestPause = 64;
// A probe reads a cell before anybody writes it, and on a fresh page that costs two faults. So a
// filter in use for long takes large pages, if it is one of few, and gives them back when it is
// switched off.
constexpr uint64_t kLongTrial = 1 << 15;
constexpr uint32_t kFewFilters = 16;

os::Lock lock_;
Filter* unused_ = nullptr;
uint32_t in_use_ = 0;
uint64_t hits_of_ended_ = 0;

void* reserve(uint64_t size) {
  const long at = os::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return nullptr;
  os::call(SYS_madvise, at, static_cast<long>(size), MADV_DONTDUMP);
  return reinterpret_cast<void*>(at);
}

Filter* take_filter() {
  os::Guard guard(lock_);
  if (Filter* filter = unused_) {
    unused_ = filter->next;
    in_use_++;
    return filter;
  }
  auto* filter = static_cast<Filter*>(os::allocate_small(sizeof(Filter)));
  if (!filter) return nullptr;
  auto* regions = static_cast<char*>(reserve(kRegionsSize));
  if (!regions) return nullptr;
  *filter = {regions, kFirstSeen, nullptr, nullptr};
  in_use_++;
  return filter;
}

int64_t* table_of(char* regions) {
  return reinterpret_cast<int64_t*>(regions + filter::kTableOffset);
}

uint64_t hits_of(const Thread* thread) {
  return thread->filtering.hits + static_cast<uint64_t>(kHits - thread->slots->hits_left);
}

void advise_cells(const Filter& filter, long advice) {
  for (const Region* region = filter.last; region; region = region->previous) {
    os::call(SYS_madvise, os::word(region->cells), filter::kCellsSize, advice);
  }
}

bool wants_large_pages(const Filtering& own) {
  return own.trial >= kLongTrial && __atomic_load_n(&in_use_, __ATOMIC_RELAXED) <= kFewFilters;
}

void switch_filter(Thread* thread, bool on) {
  Filtering& own = thread->filtering;
  if (!on) {
    next_segment(thread);
    if (own.trial >= kLongTrial) advise_cells(*own.filter, MADV_DONTNEED);
  } else if (wants_large_pages(own)) {
    advise_cells(*own.filter, MADV_HUGEPAGE);
  }
  own.regions = on ? own.filter->regions : nullptr;
  own.hits_then = hits_of(thread);
  own.steps_then = thread->steps;
  own.next_look = thread->steps + (on ? own.trial : own.pause * own.trial);
}

}  // namespace

void begin_filtering(Thread* thread) {
  Filtering& own = thread->filtering;
  thread->slots->hits_left = kHits;
  if (options.repeats == recording::Repeats::keep) return;
  own.filter = take_filter();
  if (!own.filter) return;
  own.trial = kFirstTrial;
  own.seen = own.filter->seen;
  next_segment(thread);
  switch_filter(thread, true);
  aim_filter(thread);
}

void end_filtering(Thread* thread) {
  Filter* filter = thread->filtering.filter;
  if (!filter) return;
  advise_cells(*filter, MADV_DONTNEED);
  const uint64_t hits = hits_of(thread);
  filter->seen = thread->filtering.seen;
  thread->slots->regions = nullptr;
  thread->filtering = Filtering();
  os::Guard guard(lock_);
  in_use_--;
  __atomic_add_fetch(&hits_of_ended_, hits, __ATOMIC_RELAXED);
  filter->next = unused_;
  unused_ = filter;
}

void look_at_filter(Thread* thread) {
  Filtering& own = thread->filtering;
  const uint64_t hits = hits_of(thread) - own.hits_then;
  const bool pays = hits >= kWorthwhile * (thread->steps - own.steps_then);
  const bool on = !own.regions || pays;
  if (on && own.trial < kLongestTrial) own.trial *= 2;
  if (!on) {
    const uint64_t longer = own.pause + kPauseGrowth;
    own.pause = own.pause == 0 ? kFirstPause : longer < kLongestPause ? longer : kLongestPause;
  } else if (own.regions) {
    own.pause = 0;
  }
  switch_filter(thread, on);
}

void restart_filter(Thread* thread) {
  Filter* filter = thread->filtering.filter;
  thread->filtering.seen = kFirstSeen;
  if (!filter) return;
  advise_cells(*filter, MADV_DONTNEED);
}

char* new_region(Thread* thread, const void* address) {
  auto* region = static_cast<Region*>(os::allocate_small(sizeof(Region)));
  auto* cells = static_cast<char*>(region ? reserve(filter::kCellsSize) : nullptr);
  Filtering& own = thread->filtering;
  if (!cells) {
    // Asking again at every read would cost more than recording it.
    own.regions = thread->slots->regions = nullptr;
    own.next_look = ~uint64_t{0};
    return nullptr;
  }
  if (wants_large_pages(own)) {
    os::call(SYS_madvise, os::word(cells), filter::kCellsSize, MADV_HUGEPAGE);
  }
  char* regions = thread->slots->regions;
  const uintptr_t place = reinterpret_cast<uintptr_t>(address) >> filter::kRegionShift;
  table_of(regions)[place] = cells - regions;
  *region = {cells, own.filter->last};
  own.filter->last = region;
  return cells;
}

namespace {

// The cells of an access (recording/filter.h). Accesses of less than 8 bytes do not cross a key.
struct Cells {
  Cells(char* cells, const void* memory, uint64_t size)
      : memory_(static_cast<const char*>(memory)), size_(size) {
    const auto number = reinterpret_cast<uint64_t>(memory);
    block_ = cells + ((number & filter::kRegionMask & ~(filter::kGrain - 1)) << 1);
    if (size >= filter::kGrain) return;
    const uint64_t within = number & (filter::kKeyGrain - 1);
    key_ = block_ + (number & filter::kKeyGrain);
    value_ = key_ + filter::kValueOffset + within;
    bytes_ = size < filter::kKeyGrain ? ((1u << size) - 1) << within : filter::kWholeKey;
  }

  bool have(uint64_t seen) const {
    if (size_ < filter::kGrain) {
      const uint32_t keys = load<uint32_t>(key_) ^ static_cast<uint32_t>(seen);
      return (keys & (bytes_ | ~filter::kWholeKey)) == 0 && same_value();
    }
    for (uint64_t i = 0; i < size_ / filter::kGrain; i++) {
      const char* cell = block_ + filter::kCellSize * i;
      if (load<uint64_t>(cell) != seen) return false;
      if (load<uint64_t>(cell + filter::kValueOffset) !=
          load<uint64_t>(memory_ + filter::kGrain * i)) {
        return false;
      }
    }
    return true;
  }

  void remember(uint64_t seen) {
    if (size_ < filter::kGrain) {
      const auto key = static_cast<uint32_t>(seen);
      const auto old = load<uint32_t>(key_);
      const uint32_t none = key & ~filter::kWholeKey;
      const bool is_current = (old ^ key) <= filter::kWholeKey;
      const uint32_t next = (is_current ? old : none) | bytes_;
      __builtin_memcpy(key_, &next, sizeof next);
      copy_value();
      return;
    }
    for (uint64_t i = 0; i < size_ / filter::kGrain; i++) {
      char* cell = block_ + filter::kCellSize * i;
      __builtin_memcpy(cell, &seen, sizeof seen);
      __builtin_memcpy(cell + filter::kValueOffset, memory_ + filter::kGrain * i, filter::kGrain);
    }
  }

 private:
  template <class T>
  static T load(const char* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }

  // Of 1, 2 or 4 bytes. Not by functions of libc, which the runtime stands in front of.
  bool same_value() const {
    if (size_ == 4) return load<uint32_t>(value_) == load<uint32_t>(memory_);
    if (size_ == 2) return load<uint16_t>(value_) == load<uint16_t>(memory_);
    return *value_ == *memory_;
  }
  void copy_value() {
    if (size_ == 4) {
      __builtin_memcpy(value_, memory_, 4);
    } else if (size_ == 2) {
      __builtin_memcpy(value_, memory_, 2);
    } else {
      *value_ = *memory_;
    }
  }

  const char* memory_;
  uint64_t size_;
  char* block_;
  char* key_ = nullptr;
  char* value_ = nullptr;
  uint32_t bytes_ = 0;  // of a key
};

}  // namespace

char* cells_of(Thread* thread, const void* address) {
  char* regions = thread->slots->regions;
  if (!regions) return nullptr;
  const int64_t offset =
      table_of(regions)[reinterpret_cast<uintptr_t>(address) >> filter::kRegionShift];
  return offset ? regions + offset : new_region(thread, address);
}

bool repeats_a_read(const Thread* thread, char* cells, const void* address, uint64_t size) {
  return Cells(cells, address, size).have(thread->slots->seen);
}

void note_read(const Thread* thread, char* cells, const void* address, uint64_t size) {
  Cells(cells, address, size).remember(thread->slots->seen);
}

void count_many_hits(Thread* thread) {
  __foretell_thread.hits_left = kHits;
  if (thread) thread->filtering.hits += static_cast<uint64_t>(kHits);
}

void stop_at_hit(Thread* thread, uint64_t number) {
  const auto left = static_cast<int64_t>(number) - 1;
  if (left >= thread->slots->hits_left) return;
  // The sum of both says how many hits there were.
  thread->filtering.hits -= static_cast<uint64_t>(thread->slots->hits_left - left);
  thread->slots->hits_left = left;
}

void count_repeated_reads() {
  // Without the lock: also called where a fault has happened.
  uint64_t hits = __atomic_load_n(&hits_of_ended_, __ATOMIC_RELAXED);
  for (const Thread* t = all_threads(); t; t = t->next) {
    if (t->filtering.filter) hits += hits_of(t);
  }
  header->repeated_reads = hits;
}

namespace {

void forget_filters() {
  lock_ = os::Lock();
  unused_ = nullptr;
  in_use_ = 0;
  hits_of_ended_ = 0;
  // If the child is not recorded, nobody else switches it off.
  __foretell_thread.regions = nullptr;
}
FORETELL_IN_FORKED_CHILD(forget_filters);

}  // namespace
}  // namespace foretell::rt
