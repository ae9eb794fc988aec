#include "thread.h"

#include "front_end.h"
#include "intercept/channels.h"
#include "options.h"
#include "os.h"
#include "plan.h"
#include "scheduler.h"
#include "signals.h"
#include "tsan/pcs.h"

__thread ForetellThread __foretell_thread
    __attribute__((tls_model("initial-exec"), visibility("default")));

namespace foretell::rt {

__thread Thread* attached_thread __attribute__((tls_model("initial-exec")));
bool active = false;
Mode mode = Mode::controlled;

namespace {

__thread bool past_end_ __attribute__((tls_model("initial-exec")));
// Takes what hooks store while nothing is recorded: one record.
__thread char scratch_[recording::kMaxRecord] __attribute__((tls_model("initial-exec")));

os::Lock list_lock_;
Thread* first_ = nullptr;
Thread* last_ = nullptr;
uint32_t next_id_ = 0;
uint64_t tickets_ = 0;
uint64_t sequence_ = 0;

uint32_t id_for_child(Thread* parent) {
  if (parent) {
    const uint32_t planned = plan.child(parent->id, parent->children);
    parent->children++;
    if (planned) {
      if (planned >= next_id_) next_id_ = planned + 1;
      return planned;
    }
  }
  return next_id_++;
}

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
      next_segment(thread_);
      if (mode == Mode::parallel) {
        store(thread_->slots->cursor, Op::Sequence, 0,
              __atomic_add_fetch(&sequence_, 1, __ATOMIC_SEQ_CST), 0);
      }
    }
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

Thread* self() {
  Thread* thread = attached_thread;
  if (thread || !active || past_end_) return thread;
  // A thread that was not created through pthread_create.
  past_end_ = true;  // until it is registered, hooks on the way must not come here again
  thread = new_thread(nullptr);
  past_end_ = false;
  if (thread) {
    begin_thread(thread);
    await_end(thread);
  }
  return thread;
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

Call::Call(void* return_address) : thread(nullptr) {
  if (!active) initialize();
  thread = active ? self() : nullptr;
  if (!thread) return;
  if (thread->inside) {
    thread = nullptr;
    return;
  }
  site = __foretell_thread.call_site;
  __foretell_thread.call_site = 0;
  reenter_runtime(thread);
  if (site == 0 && thread_sanitizer_objects && return_address) {
    site = site_of_return(thread, return_address);
  }
  thread->call_site = site;
  if (thread->cancelled && thread->cancel_at_once) obey_cancellation(thread);
  if (signal_waits(thread)) handle_signals(thread);
}

void reenter_runtime(Thread* thread) {
  thread->inside++;
  if (thread->lost) {
    off_stream(thread);
    enter_control(thread, recording::Why::watchdog);
  } else if (thread->ignoring) {
    thread->slots->cursor = thread->held_cursor;
    refuel(thread);
  }
}

void leave_runtime(Thread* thread) {
  thread->inside--;
  if (!thread->ignoring) return;
  thread->held_cursor = thread->slots->cursor;
  off_stream(thread);
}

void before_step(Thread* thread, bool synchronizes) {
  ForetellThread* slots = thread->slots;
  if (thread->onces > 0) end_left_onces(thread);
  if (thread->lost) {
    off_stream(thread);
    enter_control(thread, recording::Why::watchdog);
  }
  if (mode == Mode::parallel) {
    if (slots->fuel <= 0) refuel(thread);
  } else if (synchronizes || slots->fuel <= 0) {
    decide(thread, synchronizes);
  }
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

uint64_t new_ticket() {
  return mode == Mode::parallel ? 0 : ++tickets_;
}

Thread* new_thread(Thread* parent) {
  auto* thread = static_cast<Thread*>(os::allocate_small(sizeof(Thread)));
  if (!thread) return nullptr;
  *thread = Thread();
  thread->run = Run::blocked;  // until admitted
  thread->parent = parent ? parent->id : static_cast<uint32_t>(recording::kNoThread);
  os::Guard guard(list_lock_);
  thread->id = id_for_child(parent);
  if (last_) {
    __atomic_store_n(&last_->next, thread, __ATOMIC_RELEASE);
  } else {
    first_ = thread;
  }
  last_ = thread;
  return thread;
}

void forget_threads() {
  list_lock_ = os::Lock();
  first_ = last_ = attached_thread = nullptr;
  next_id_ = 0;
  tickets_ = sequence_ = 0;
}

void forget_thread(Thread* thread) {
  os::Guard guard(list_lock_);
  thread->run = Run::ended;
  thread->joinable = false;
  if (thread->id + 1 == next_id_) next_id_--;
  thread->id = static_cast<uint32_t>(recording::kNoThread);
}

Thread* thread_of(pthread_t handle) {
  for (Thread* t = first_; t; t = t->next) {
    if (t->joinable && t->handle && pthread_equal(t->handle, handle)) return t;
  }
  return nullptr;
}

Thread* living_thread(pthread_t handle) {
  for (Thread* t = first_; t; t = t->next) {
    if (t->run != Run::ended && t->handle && pthread_equal(t->handle, handle)) return t;
  }
  return nullptr;
}

Thread* all_threads() {
  return first_;
}

namespace {

// Up to the caller's frame: what lies above is libc's, thread-local variables above all.
void record_stack(Thread* thread) {
  void* begin = nullptr;
  size_t size = 0;
  pthread_attr_t attributes;
  thread->inside++;  // libc allocates memory for it
  const bool known = pthread_getattr_np(pthread_self(), &attributes) == 0;
  if (known) {
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
  }
  thread->inside--;
  if (!known) return;
  const auto frame = static_cast<char*>(__builtin_frame_address(0));
  const uint64_t used = static_cast<uint64_t>(frame - static_cast<char*>(begin));
  if (used < size) put(thread, Op::Stack, 0, begin, used);
}

}  // namespace

void begin_thread(Thread* thread) {
  attached_thread = thread;
  thread->slots = &__foretell_thread;
  thread->slots->fuel = 0;
  thread->os_id = os::thread_id();
  off_stream(thread);
  const uint64_t of_creator = thread->signals.blocked;
  uint64_t& blocked = thread->signals.blocked;
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, 0, os::word(&blocked), sizeof blocked);
  // Only now may signals find it, unless it was given a mask of its own. libc may unblock 32
  // and 33.
  constexpr uint64_t kOfLibc = uint64_t{3} << 31;
  if ((blocked | kOfLibc) == (kBlockedAtBirth | kOfLibc)) {
    blocked = of_creator;
    os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&blocked), 0, sizeof blocked);
  }
  if (mode == Mode::parallel) {
    thread->stream.thread = thread->id;
    thread->budget = uint64_t{1} << 62;
    refuel(thread);
  } else if (thread->id == 0) {
    start_scheduler();
  } else {
    if (thread->parent == recording::kNoThread) admit(thread);
    await_first_turn(thread);
  }
  // With the token: what it maps must not make other mappings lie elsewhere in every run.
  begin_filtering(thread);
  before_step(thread, false);
  put(thread, Op::ThreadBegin, 0, reinterpret_cast<void*>(uintptr_t{thread->id}), thread->parent);
  if (thread->parent == recording::kNoThread && thread->id != 0) note_signal_taken(thread);
  // In parallel mode nobody could say which accesses of others come before it.
  if (mode == Mode::controlled && thread->id != 0) record_stack(thread);
}

void end_thread(Thread* thread) {
  thread->inside++;
  while (thread->ignoring) end_ignoring(thread);
  before_step(thread);
  put(thread, Op::ThreadEnd, 0, reinterpret_cast<void*>(uintptr_t{thread->id}));
  past_end_ = true;
  end_filtering(thread);
  if (mode == Mode::controlled) {
    wake(Wait::thread, thread);
    give_up_token(thread);
  } else {
    end_stream(thread->stream, thread->slots->cursor);
    thread->run = Run::ended;
  }
  off_stream(thread);
  attached_thread = nullptr;
}

}  // namespace foretell::rt
