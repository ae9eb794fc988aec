// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/records.h"

#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/threads/frames.h"
#include "runtime/watch/synchronization.h"
#include "runtime/watch/writers.h"

namespace foretell::rt {

SharedStream shared_stream;
bool follows_schedule = false;
bool records_all = false;

namespace {

// Takes what hooks store while nothing is recorded: one record.
__thread char scratch_[recording::kMaxRecord] __attribute__((tls_model("initial-exec")));

uint64_t sequence_ = 0;

// What takes longer to touch than a whole recording of it is worth.
uint64_t accesses_left_ = 0;

void forget_stream() {
  shared_stream.stream = Stream();
  sequence_ = 0;
}
FORETELL_IN_FORKED_CHILD(forget_stream);

bool synchronizes(Op op) {
  switch (op) {
    case Op::ReadRange:
    case Op::WriteRange:
    case Op::FunctionEnter:
    case Op::FunctionExit:
    case Op::Branch:
      return false;
    default:
      return recording::kIsStep[static_cast<size_t>(op)] != 0;
  }
}

void store_words(char*& cursor, uint64_t first, const uint64_t* rest, size_t count) {
  for (size_t i = 0; i < count; i++) __builtin_memcpy(cursor + 8 + 8 * i, &rest[i], 8);
  // The header makes it a record, so it comes last.
  __atomic_signal_fence(__ATOMIC_RELEASE);
  __builtin_memcpy(cursor, &first, 8);
  cursor += 8 + 8 * count;
}

// What the step says of the order of threads, and of the life of memory.
void watch_step(Thread* thread, Op op, uint32_t site, const void* address, const uint64_t* words) {
  if (!watch::watching_on) return;
  thread->slots->work--;
  const uint64_t key = op == Op::Alloc ? key_of_allocation(thread, site) : 0;
  watch::follow(thread->watcher, {op, address, words, key});
  if (!thread->watcher) return;
  aim_checks(thread);
  if (op == Op::Acquire || op == Op::WaitEnd) thread->slots->took_lock = watch::follows_reads;
}

// The place of the records.
class Writing {
 public:
  explicit Writing(Thread* thread) : thread_(thread), begin_(thread->slots->cursor) {}
  // A full record takes more room than a step's fuel stands for. What it takes away is no step.
  ~Writing() {
    ForetellThread* slots = thread_->slots;
    const auto bytes = static_cast<uint64_t>(slots->cursor - begin_);
    const uint64_t fuel = (bytes + recording::kMaxCompact - 1) / recording::kMaxCompact;
    thread_->given -= fuel - steps_;
    slots->fuel -= static_cast<int64_t>(fuel);
    if (slots->fuel <= 0) refuel(thread_);
  }
  void write(Op op, uint32_t site, const void* address, const uint64_t* words, size_t count) {
    steps_ = recording::kIsStep[static_cast<size_t>(op)];
    if (synchronizes(op)) {
      watch_step(thread_, op, site, address, words);
      next_segment(thread_);
      if (mode == Mode::parallel) {
        store(thread_->slots->cursor, Op::Sequence, 0,
              __atomic_add_fetch(&sequence_, 1, __ATOMIC_SEQ_CST), 0);
      }
    }
    if (op == Op::WriteRange && watch::watching_on) watch::forget_writers(address, words[0]);
    uint64_t all[2 + recording::kMaxExtensions] = {recording::site_and_op_of(site, op)};
    for (size_t i = 0; i < count; i++) all[i + 1] = words[i];
    store_words(thread_->slots->cursor,
                recording::header_of(reinterpret_cast<uint64_t>(address), recording::kFullMark),
                all, count + 1);
  }

 private:
  Thread* thread_;
  const char* begin_;
  uint64_t steps_ = 0;
};

void put_name(Thread* thread, Op op, const void* address, const char* name) {
  uint64_t words[2] = {};
  const size_t size = os::length(name);
  os::copy(words, name, size < sizeof words ? size : sizeof words);
  put(thread, op, recording::kNoSite, address, 0, words[0], words[1]);
}

}  // namespace

void name_thread(Thread* thread, const Thread* target, const char* name) {
  put_name(thread, Op::ThreadName, reinterpret_cast<void*>(uintptr_t{target->id}), name);
}

void name_lock(Thread* thread, const void* lock, const char* name) {
  put_name(thread, Op::LockName, lock, name);
}

void count_steps(Thread* thread) {
  const uint64_t taken = thread->given - static_cast<uint64_t>(thread->slots->fuel);
  uint64_t time = taken;
  if (records_contended_only()) {
    time = static_cast<uint64_t>(thread->work_then - thread->slots->work);
    thread->work_then = thread->slots->work;
  }
  // A thread that is just beginning has taken none, and not the token to count them.
  if (taken == 0 && time == 0) return;
  const uint64_t used = counts_work() ? time : taken;
  thread->steps += taken;
  thread->budget -= used < thread->budget ? used : thread->budget;
  thread->given -= taken;
  shared_stream.steps += time;
}

namespace {

// Rounds and calls after which a thread that follows a schedule is asked whether it gets anywhere.
constexpr int64_t kManyRounds = 1 << 20;

void refuel_work(Thread* thread) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const uint64_t budget = thread->budget < kMost ? thread->budget : kMost;
  thread->slots->work = records_all     ? 0
                        : counts_work() ? static_cast<int64_t>(budget)
                                        : kManyRounds;
  thread->work_then = thread->slots->work;
}

}  // namespace

void aim_checks(Thread* thread) {
  const bool asks_for_each = thread->watcher->blocks > 0 || thread->records_all;
  thread->slots->epoch =
      asks_for_each ? watching::kNobody : watching::twice(thread->watcher->epoch());
  thread->slots->known = asks_for_each ? nullptr : thread->watcher->clock.whole();
}

void begin_recording_all(uint64_t most_accesses) {
  records_all = true;
  accesses_left_ = most_accesses;
}

void count_access() {
  if (accesses_left_ > 0) accesses_left_--;
}

namespace {

// From here on the run is only watched.
void look_at_length(Thread* thread) {
  if (records_all && (accesses_left_ == 0 || is_recording_stopped())) {
    stop_recording_silently();
    records_all = false;
  }
  if (!thread->records_all || records_all) return;
  thread->records_all = false;
  end_filtering(thread);
  if (thread->watcher) aim_checks(thread);
}

}  // namespace

void refuel(Thread* thread) {
  if (watch::watching_on) look_at_length(thread);
  ForetellThread* slots = thread->slots;
  Stream& stream = mode == Mode::controlled ? shared_stream.stream : thread->stream;
  count_steps(thread);
  Filtering& filtering = thread->filtering;
  if (thread->steps >= filtering.next_look) look_at_filter(thread);
  aim_filter(thread);
  if (!stream.chunk || stream.end() - slots->cursor < 2 * kStepSlack) {
    next_chunk(stream, slots->cursor);
    slots->cursor = stream.begin();
  }
  const auto room =
      static_cast<uint64_t>(stream.end() - slots->cursor - kStepSlack) / recording::kMaxCompact;
  const uint64_t most = filtering.next_look - thread->steps;
  if (watch::watching_on) refuel_work(thread);
  thread->given = thread->budget < room && !counts_work() ? thread->budget : room;
  if (most < thread->given) thread->given = most;
  slots->fuel = static_cast<int64_t>(thread->given);
}

void OnStream::enter() {
  // The stream of a lost thread is in other hands.
  if (thread_->lost) return;
  thread_->slots->cursor = thread_->held_cursor;
  refuel(thread_);
}

void OnStream::leave() {
  thread_->held_cursor = thread_->slots->cursor;
  off_stream(thread_);
}

void begin_ignoring(Thread* thread) {
  OnStream stream(thread);
  if (thread->ignoring++ == 0) put(thread, Op::IgnoreBegin, 0, nullptr);
}

void end_ignoring(Thread* thread) {
  OnStream stream(thread);
  if (thread->ignoring == 0) return;
  if (--thread->ignoring == 0) put(thread, Op::IgnoreEnd, 0, nullptr);
}

void store(char*& cursor, Op op, uint32_t site, uint64_t address, uint64_t value) {
  const uint64_t words[] = {recording::site_and_op_of(site, op), value};
  store_words(cursor, recording::header_of(address, recording::kFullMark), words, 2);
}

void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value) {
  Writing(thread).write(op, site, address, &value, 1);
}

void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t extension) {
  const uint64_t words[] = {value, extension};
  Writing(thread).write(op, site, address, words, 2);
}

void put(Thread* thread, Op op, uint32_t site, const void* address, uint64_t value,
         uint64_t first_extension, uint64_t second_extension) {
  const uint64_t words[] = {value, first_extension, second_extension};
  Writing(thread).write(op, site, address, words, 3);
}

void put_compact(Thread* thread, uint32_t site, uint64_t address) {
  thread->slots->fuel--;
  store_words(thread->slots->cursor, recording::header_of(address, site), nullptr, 0);
}

bool is_wanted(Thread* thread, Op op, const void* address, uint64_t size) {
  if (!watch::watching_on) return true;
  if (!thread->watcher) return records_all;
  if (records_all) count_access();
  return watch::touch(*thread->watcher, address, size,
                      op == Op::WriteRange ? watch::Touch::write : watch::Touch::read) ||
         records_all;
}

void put_value(Thread* thread, uint32_t site, const void* address, uint64_t value, size_t size) {
  char*& cursor = thread->slots->cursor;
  thread->slots->fuel--;
  // Not with a size that is a variable: the runtime stands in front of memcpy.
  switch (size) {
    case 1:
      __builtin_memcpy(cursor + 8, &value, 1);
      break;
    case 2:
      __builtin_memcpy(cursor + 8, &value, 2);
      break;
    case 4:
      __builtin_memcpy(cursor + 8, &value, 4);
      break;
    case 8:
      __builtin_memcpy(cursor + 8, &value, 8);
      break;
    default:
      break;
  }
  __atomic_signal_fence(__ATOMIC_RELEASE);
  const uint64_t first = recording::header_of(reinterpret_cast<uint64_t>(address), site);
  __builtin_memcpy(cursor, &first, 8);
  cursor += 8 + size;
}

void put_at_once(Op op, uint32_t site, const void* address, uint64_t value) {
  Writing(attached_thread).write(op, site, address, &value, 1);
}

void off_stream(Thread* thread) {
  count_steps(thread);
  thread->given = 0;
  thread->slots->fuel = 0;
  thread->slots->cursor = scratch_;
  thread->slots->regions = nullptr;
}

}  // namespace foretell::rt
