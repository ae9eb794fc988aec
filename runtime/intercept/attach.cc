// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/attach.h"

#include "runtime/intercept/channels.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/plan.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/threads/filter.h"
#include "runtime/threads/frames.h"
#include "runtime/threads/records.h"
#include "runtime/threads/repeats.h"
#include "runtime/watch/places.h"
#include "runtime/watch/shadow.h"

namespace foretell::rt {
namespace {

__thread bool past_end_ __attribute__((tls_model("initial-exec")));

}  // namespace

Thread* self() {
  Thread* thread = attached_thread;
  if (thread || !active || past_end_) return thread;
  // A thread that was not created through pthread_create.
  past_end_ = true;  // until it is registered, hooks on the way must not come here again
  thread = new_thread(nullptr, 0);
  past_end_ = false;
  if (thread) {
    begin_thread(thread);
    await_end(thread);
  }
  return thread;
}

Thread* new_child(Thread* parent) {
  return new_thread(parent, plan.child(parent->id, parent->children++));
}

namespace {

// libc has put the thread-local variables at its top: an earlier thread may have had others there.
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
  if (watch::watching_on) {
    const auto bottom = reinterpret_cast<uint64_t>(begin);
    watch::begin_stack(thread->id, bottom, bottom + size);
  }
  put(thread, Op::Stack, 0, begin, size);
}

// From here on the bodies that watch run. What was read before is in a body that records.
void begin_watching(Thread* thread) {
  if (!watch::watching_on || !begin_frames(thread)) return;
  ForetellThread* slots = thread->slots;
  slots->shadow = watch::shadow.words;
  slots->shadow_mask = watch::kShadowMask;
  slots->watching = 1;
}

void end_watching(Thread* thread) {
  if (!thread->slots->watching) return;
  thread->slots->watching = 0;
  thread->slots->known = nullptr;
  thread->watcher = nullptr;
  watch::end_stack(thread->id);
  end_frames(thread);
  forget_reads(thread);
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
  if (watch::watching_on) begin_watching(thread);
  thread->records_all = records_all && thread->slots->watching;
  if (!watch::watching_on || thread->records_all) begin_filtering(thread);
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
  end_watching(thread);
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
