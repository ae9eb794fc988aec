// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/thread.h"

#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"

__thread ForetellThread __foretell_thread
    __attribute__((tls_model("initial-exec"), visibility("default")));

namespace foretell::rt {

__thread Thread* attached_thread __attribute__((tls_model("initial-exec")));

namespace {

os::Lock list_lock_;
Thread* first_ = nullptr;
Thread* last_ = nullptr;
uint32_t next_id_ = 0;
uint64_t tickets_ = 0;

void forget_threads() {
  list_lock_ = os::Lock();
  first_ = last_ = attached_thread = nullptr;
  next_id_ = 0;
  tickets_ = 0;
}
FORETELL_IN_FORKED_CHILD(forget_threads);

}  // namespace

uint64_t new_ticket() {
  return mode == Mode::parallel ? 0 : ++tickets_;
}

Thread* new_thread(const Thread* parent, uint32_t id) {
  auto* thread = static_cast<Thread*>(os::allocate_small(sizeof(Thread)));
  if (!thread) return nullptr;
  *thread = Thread();
  thread->run = Run::blocked;  // until admitted
  thread->parent = parent ? parent->id : static_cast<uint32_t>(recording::kNoThread);
  os::Guard guard(list_lock_);
  thread->id = id ? id : next_id_;
  if (thread->id >= next_id_) next_id_ = thread->id + 1;
  thread->number = last_ ? last_->number + 1 : 0;
  if (last_) {
    __atomic_store_n(&last_->next, thread, __ATOMIC_RELEASE);
  } else {
    first_ = thread;
  }
  last_ = thread;
  return thread;
}

void forget_thread(Thread* thread) {
  os::Guard guard(list_lock_);
  thread->run = Run::ended;
  thread->joinable = false;
  if (thread->id + 1 == next_id_) next_id_--;
  thread->id = static_cast<uint32_t>(recording::kNoThread);
}

Thread* find_thread(uint32_t id) {
  for (Thread* t = first_; t; t = t->next) {
    if (t->id == id) return t;
  }
  return nullptr;
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

Thread* joined_thread(pthread_t handle) {
  Thread* last = nullptr;
  for (Thread* t = first_; t; t = t->next) {
    if (t->joined && t->handle && pthread_equal(t->handle, handle)) last = t;
  }
  return last;
}

Thread* all_threads() {
  return first_;
}

}  // namespace foretell::rt
