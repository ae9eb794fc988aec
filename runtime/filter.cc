#include "filter.h"

#include <sys/mman.h>

#include "os.h"
#include "scheduler.h"
#include "signals.h"
#include "thread.h"

namespace foretell::rt {
namespace {

constexpr uint64_t kRegionsSize = filter::kTableOffset + filter::kRegions * sizeof(int64_t);
constexpr uint64_t kTwice = 0x1'0000'0001;
constexpr uint64_t kFirstSeen = (uint64_t{1} << filter::kKeyBits | filter::kWholeKey) * kTwice;
// Hits between two looks whether the thread only waits.
constexpr int64_t kHits = 1 << 14;
// The filter pays if it leaves out a read for each step that is taken. Below that the processor
// guesses wrong too often whether one is left out.
constexpr uint64_t kWorthwhile = 1;
// What repeats may be long: a trial that failed is followed by a pause, and by one twice as long.
constexpr uint64_t kFirstTrial = 1 << 13;
constexpr uint64_t kLongestTrial = 1 << 18;
constexpr uint64_t kPause = 7;  // trials
// Beyond so many regions the cells of a filter that is switched off are given back.
constexpr uint64_t kManyRegions = 16;

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
  auto* regions = static_cast<char*>(reserve(kRegionsSize));
  if (!regions) return nullptr;
  *filter = {regions, kFirstSeen, 0, nullptr};
  return filter;
}

int64_t* table_of(char* regions) {
  return reinterpret_cast<int64_t*>(regions + filter::kTableOffset);
}

uint64_t hits_of(const Thread* thread) {
  return thread->filtering.hits + static_cast<uint64_t>(kHits - thread->slots->hits_left);
}

void give_back(Filter& filter) {
  const int64_t* table = table_of(filter.regions);
  for (uint64_t i = 0, left = filter.region_count; left > 0 && i < filter::kRegions; i++) {
    if (table[i] == 0) continue;
    left--;
    os::call(SYS_madvise, os::word(filter.regions + table[i]), filter::kCellsSize, MADV_DONTNEED);
  }
}

void switch_filter(Thread* thread, bool on) {
  Filtering& own = thread->filtering;
  if (!on) {
    // Whether cells are kept, which depends on where memory lies, must not be noticed.
    next_segment(thread);
    if (own.filter->region_count > kManyRegions) give_back(*own.filter);
  }
  own.regions = on ? own.filter->regions : nullptr;
  own.hits_then = hits_of(thread);
  own.steps_then = thread->steps;
  own.next_look = thread->steps + (on ? own.trial : kPause * own.trial);
}

}  // namespace

void begin_filtering(Thread* thread) {
  Filtering& own = thread->filtering;
  thread->slots->hits_left = kHits;
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
  filter->seen = thread->filtering.seen;
  thread->slots->regions = nullptr;
  thread->filtering = Filtering();
  os::Guard guard(lock_);
  filter->next = unused_;
  unused_ = filter;
}

void look_at_filter(Thread* thread) {
  Filtering& own = thread->filtering;
  const uint64_t hits = hits_of(thread) - own.hits_then;
  const bool pays = hits >= kWorthwhile * (thread->steps - own.steps_then);
  if (!own.regions && own.trial < kLongestTrial) own.trial *= 2;
  switch_filter(thread, !own.regions || pays);
}

void restart_filter(Thread* thread) {
  Filter* filter = thread->filtering.filter;
  thread->filtering.seen = kFirstSeen;
  if (!filter) return;
  give_back(*filter);
}

void forget_filters() {
  lock_ = os::Lock();
  unused_ = nullptr;
  // If the child is not recorded, nobody else switches it off.
  __foretell_thread.regions = nullptr;
}

}  // namespace foretell::rt

using namespace foretell::rt;

extern "C" {

char* __foretell_new_region(const void* address) {
  auto* cells = static_cast<char*>(reserve(foretell::filter::kCellsSize));
  if (!cells) return nullptr;
  char* regions = __foretell_thread.regions;
  const uintptr_t region = reinterpret_cast<uintptr_t>(address) >> foretell::filter::kRegionShift;
  table_of(regions)[region] = cells - regions;
  attached_thread->filtering.filter->region_count++;
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
  count_steps(thread);
  // Whether yielding would look at the filter depends on the schedule.
  if (thread->steps >= thread->filtering.next_look) refuel(thread);
  if (mode == Mode::controlled) {
    const bool waits = thread->filtering.steps_at_hits == thread->steps;
    thread->filtering.steps_at_hits = thread->steps;
    if (waits) yield(thread);
  }
  leave_runtime(thread);
}
}
