#include "filter.h"

#include <sys/mman.h>

#include "os.h"
#include "scheduler.h"
#include "signals.h"
#include "thread.h"

namespace foretell::rt {
namespace {

constexpr uint64_t kRegionsSize = filter::kRegions * sizeof(char*);
constexpr uint64_t kTwice = 0x1'0000'0001;
constexpr uint64_t kFirstSeen = (uint64_t{1} << filter::kKeyBits | filter::kWholeKey) * kTwice;
// Hits between two looks whether the thread only waits.
constexpr int64_t kHits = 1 << 14;
constexpr uint64_t kTrial = 1 << 13;
constexpr uint64_t kFirstPause = 1 << 16;
constexpr uint64_t kLongestPause = 1 << 20;
// The filter pays if it leaves out so many reads for each step that is taken. Below that the
// processor guesses wrong too often whether a read is left out.
constexpr uint64_t kWorthwhile = 2;

os::Lock lock_;
Filter* unused_ = nullptr;

void* reserve(uint64_t size) {
  const long at = os::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

Filter* take_filter() {
  os::Guard guard(lock_);
  if (Filter* filter = unused_) {
    unused_ = filter->next;
    return filter;
  }
  auto* filter = static_cast<Filter*>(os::allocate_small(sizeof(Filter)));
  if (!filter) return nullptr;
  auto* regions = static_cast<char**>(reserve(kRegionsSize));
  if (!regions) return nullptr;
  *filter = {regions, kFirstSeen, nullptr};
  return filter;
}

uint64_t hits_of(const Thread* thread) {
  return thread->filtering.hits + static_cast<uint64_t>(kHits - thread->slots->hits_left);
}

void switch_filter(Thread* thread, bool on) {
  Filtering& own = thread->filtering;
  own.regions = on ? own.filter->regions : nullptr;
  own.hits_then = hits_of(thread);
  own.steps_then = thread->steps;
  own.next_look = thread->steps + (on ? kTrial : own.pause);
}

}  // namespace

void begin_filtering(Thread* thread) {
  Filtering& own = thread->filtering;
  thread->slots->hits_left = kHits;
  own.filter = take_filter();
  if (!own.filter) return;
  thread->slots->seen = own.filter->seen;
  next_segment(thread);
  switch_filter(thread, true);
}

void end_filtering(Thread* thread) {
  Filter* filter = thread->filtering.filter;
  if (!filter) return;
  filter->seen = thread->slots->seen;
  thread->slots->regions = nullptr;
  thread->filtering = Filtering();
  os::Guard guard(lock_);
  filter->next = unused_;
  unused_ = filter;
}

void look_at_filter(Thread* thread) {
  Filtering& own = thread->filtering;
  if (!own.regions) return switch_filter(thread, true);
  const uint64_t hits = hits_of(thread) - own.hits_then;
  if (hits >= kWorthwhile * (thread->steps - own.steps_then)) {
    own.pause = 0;
    return switch_filter(thread, true);
  }
  own.pause = own.pause == 0 ? kFirstPause : own.pause < kLongestPause ? own.pause * 2 : own.pause;
  switch_filter(thread, false);
}

void restart_filter(Thread* thread) {
  Filter* filter = thread->filtering.filter;
  thread->slots->seen = kFirstSeen;
  if (!filter) return;
  for (uint64_t i = 0; i < filter::kRegions; i++) {
    if (!filter->regions[i]) continue;
    os::call(SYS_madvise, os::word(filter->regions[i]), filter::kCellsSize, MADV_DONTNEED);
  }
}

void forget_filters() {
  lock_ = os::Lock();
}

}  // namespace foretell::rt

using namespace foretell::rt;

extern "C" {

char* __foretell_new_region(const void* address) {
  auto* cells = static_cast<char*>(reserve(foretell::filter::kCellsSize));
  char** regions = __foretell_thread.regions;
  if (cells) {
    regions[reinterpret_cast<uintptr_t>(address) >> foretell::filter::kRegionShift] = cells;
  }
  return cells;
}

void __foretell_many_hits() {
  __foretell_thread.hits_left = kHits;
  Thread* thread = active ? self() : nullptr;
  if (!thread) return;
  thread->filtering.hits += static_cast<uint64_t>(kHits);
  if (thread->inside || thread->ignoring) return;
  reenter_runtime(thread);
  if (signal_waits(thread)) handle_signals(thread);
  if (mode == Mode::controlled) {
    count_steps(thread);
    const bool waits = thread->filtering.steps_at_hits == thread->steps;
    thread->filtering.steps_at_hits = thread->steps;
    if (waits) yield(thread);
  }
  leave_runtime(thread);
}
}
