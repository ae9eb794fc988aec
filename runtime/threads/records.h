// SPDX-License-Identifier: Apache-2.0

// Records: how a thread writes what it does to its stream, and how many steps it may take before it
// must come back to the runtime.
//
// Between the decision that a thread may take a step and put nobody else runs (controlled mode), so
// what is done there and its record are one indivisible step.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// Controlled mode: the one stream of all threads, which belongs to the holder of the token.
struct SharedStream {
  Stream stream;
  uint64_t steps = 0;  // of all threads, as far as count_steps has counted
};
extern SharedStream shared_stream;

// Watching: a schedule is being followed. It counts the recorded steps of a thread, accesses too,
// while a strategy counts its work and the steps that synchronize. So recording more or fewer
// accesses does not change how a run goes.
extern bool follows_schedule;
// Watching a run that may turn out to be short (options.short_limit). Until it does not, all is recorded
// and counted as if nobody watched: the bodies that watch come to the runtime with each access, entry and
// round. So the run is the one that a replay makes, and if it does become long, the watcher has seen it
// from the beginning.
extern bool records_all;
// Whether a strategy is in charge of a thread that watches.
inline bool counts_work() {
  return watch::watching_on && !follows_schedule && !records_all;
}
// Whether accesses are left out of the recording.
inline bool records_contended_only() {
  return watch::watching_on && !records_all;
}

// The thread's inline checks: they find its epoch, or, where each access is asked for, nothing.
void aim_checks(Thread* thread);
void begin_recording_all(uint64_t most_accesses);
// An access of a watched run that is recorded as a whole; no longer, if there are too many.
void count_access();

// What one step may store besides its own record: Switch, Sequence, External, Misuse.
inline constexpr ptrdiff_t kStepSlack = 6 * recording::kMaxRecord;

// Counts the steps taken, opens a new chunk if this one may be full, and sets how many steps the
// thread may take before it must come back.
void refuel(Thread* thread);
void count_steps(Thread* thread);

// Points the thread's cursor at memory that is not recorded; its next hook comes to the runtime.
void off_stream(Thread* thread);

// What the thread records from here on goes to the stream, so its filter may count on it.
inline void aim_filter(Thread* thread) {
  thread->slots->regions = thread->filtering.regions;
  thread->slots->seen = thread->filtering.seen;
}

// The thread has synchronized: it may read anew what it has read.
inline void next_segment(Thread* thread) {
  constexpr uint64_t kNext = uint64_t{0x1'0000'0001} << filter::kKeyBits;
  uint64_t& seen = thread->filtering.seen;
  seen += kNext;
  if (static_cast<uint32_t>(seen) <= filter::kWholeKey) restart_filter(thread);
  thread->slots->seen = seen;
}

// Records the step. In parallel mode a synchronizing step also gets its place in the order of all
// synchronization: it must be recorded after what it waited for and before what waits for it.
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value = 0);
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t extension);
void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t first_extension, uint64_t second_extension);

// Whether an access through the runtime is to be recorded: not if it is only watched. To be asked
// once, before the step.
bool is_wanted(Thread* thread, Op op, const void* address, uint64_t size);
// A step of a thread that watches, in the compact form, with `size` bytes of value.
void put_value(Thread* thread, uint32_t site, const void* address, uint64_t value, size_t size);

// Whether an access may be recorded at once, as inline hooks do it; put_at_once does so.
inline bool may_access_at_once() {
  return active && !watch::watching_on && __foretell_thread.fuel > 0 &&
         attached_thread->inside == 0;
}
// The same of any step that does not synchronize in controlled mode.
inline bool may_step_at_once() {
  return mode == Mode::controlled && may_access_at_once();
}
void put_at_once(Op op, uint32_t site, const void* address, uint64_t value);

// Records a step in the compact form without a value: function entry and exit, branches.
void put_compact(Thread* thread, uint32_t site, uint64_t address);

// Stores a full record at `cursor` and moves it on.
void store(char*& cursor, Op op, uint32_t site, uint64_t address, uint64_t value);

// Recorded by `thread`; at most 16 bytes of the name.
void name_thread(Thread* thread, const Thread* target, const char* name);
void name_lock(Thread* thread, const void* lock, const char* name);

// Puts the cursor of a thread inside an ignore region back on the stream, for as long as the
// runtime works: steps that synchronize are recorded there too.
class OnStream {
 public:
  explicit OnStream(Thread* thread) : thread_(thread) {
    if (thread->ignoring) enter();
  }
  ~OnStream() {
    if (thread_->ignoring) leave();
  }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  void enter();
  void leave();

  Thread* thread_;
};

// Ignore regions nest.
void begin_ignoring(Thread* thread);
void end_ignoring(Thread* thread);

}  // namespace foretell::rt
