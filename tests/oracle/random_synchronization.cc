// SPDX-License-Identifier: Apache-2.0

// The steps of a RandomProgram in which threads wait for each other: conditions, barriers,
// semaphores.
#include "random_program.h"

namespace foretell::oracle {

std::optional<trace::EventKind> RandomProgram::awaited() {
  for (const Thread& t : threads_) {
    if (t.wait && !t.wait->notified) {
      return dice_.one_in(3) ? trace::EventKind::NotifyAll : trace::EventKind::NotifyOne;
    }
    if (t.wait && held_exclusively(t.wait->lock)) return trace::EventKind::Release;
    if (t.barrier && t.generation == barriers_[*t.barrier].generation &&
        barriers_[*t.barrier].entered < barriers_[*t.barrier].parties) {
      return trace::EventKind::BarrierEnter;
    }
  }
  return {};
}

// Mostly one that somebody waits on: other notifies are lost.
uint32_t RandomProgram::any_condition() {
  for (const Thread& t : threads_) {
    if (t.wait && !t.wait->notified && !dice_.one_in(4)) return t.wait->condition;
  }
  return dice_.one_in(4);
}

uint32_t RandomProgram::any_barrier() {
  for (const Thread& t : threads_) {
    if (t.barrier && !dice_.one_in(4)) return *t.barrier;
  }
  return dice_.one_in(4);
}

std::optional<trace::Event> RandomProgram::wait(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  if (me.exclusive.empty()) return {};
  const uint32_t lock = std::next(me.exclusive.begin(), dice_.below(me.exclusive.size()))->first;
  e.object = any_condition();
  e.extra = lock;
  me.wait = Wait{.condition = e.object, .lock = lock, .depth = me.exclusive[lock]};
  me.exclusive.erase(lock);
  return e;
}

std::optional<trace::Event> RandomProgram::notify(trace::Event e) {
  e.object = any_condition();
  if (with_tickets_[e.object]) e.value = next_ticket_++;
  std::vector<Wait*> waiters;
  for (Thread& t : threads_) {
    if (!t.wait || t.wait->condition != e.object) continue;
    t.wait->saw_notify = true;
    if (!t.wait->notified) waiters.push_back(&*t.wait);
  }
  if (e.kind == trace::EventKind::NotifyOne && waiters.size() > 1) {
    waiters = {waiters[dice_.below(waiters.size())]};
  }
  for (Wait* waiter : waiters) {
    waiter->notified = true;
    waiter->ticket = e.value;
  }
  return e;
}

std::optional<trace::Event> RandomProgram::wake(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  if (!me.wait || held(me.wait->lock)) return {};
  if (!me.wait->notified && !dice_.one_in(6)) return {};
  e.object = me.wait->condition;
  e.extra = me.wait->lock;
  // Without a ticket a wake claims any notify since its wait began, so an un-notified one must say
  // that it is spurious unless there was none. A notified one may have timed out at that moment.
  if (me.wait->notified) {
    e.value = dice_.one_in(8) ? trace::Event::kNoPartner : me.wait->ticket;
  } else if (me.wait->saw_notify || dice_.one_in(2)) {
    e.value = trace::Event::kNoPartner;
  }
  me.exclusive[me.wait->lock] = me.wait->depth;
  me.wait = {};
  return e;
}

std::optional<trace::Event> RandomProgram::enter(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  e.object = any_barrier();
  Barrier& barrier = barriers_[e.object];
  if (barrier.entered == barrier.parties) {
    // Full: who comes now belongs to the next round, which a trace shows only after a leave.
    if (barrier.left == 0) return {};
    ++barrier.generation;
    barrier.entered = barrier.left = 0;
  }
  ++barrier.entered;
  me.barrier = e.object;
  me.generation = barrier.generation;
  if (barrier.explicit_generations) e.value = barrier.generation + 1;
  return e;
}

std::optional<trace::Event> RandomProgram::leave(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  if (!me.barrier) return {};
  e.object = *me.barrier;
  Barrier& barrier = barriers_[e.object];
  const bool late = me.generation < barrier.generation;
  if (!late && barrier.entered < barrier.parties) return {};
  if (!late) ++barrier.left;
  if (barrier.explicit_generations) e.value = me.generation + 1;
  me.barrier = {};
  return e;
}

std::optional<trace::Event> RandomProgram::post(trace::Event e) {
  e.object = dice_.below(kSemaphores.size());
  if (dice_.one_in(2)) e.value = next_ticket_++;
  semaphores_[e.object].posts.push_back(e.value);
  return e;
}

std::optional<trace::Event> RandomProgram::down(trace::Event e) {
  e.object = dice_.below(kSemaphores.size());
  Semaphore& semaphore = semaphores_[e.object];
  auto& posts = semaphore.posts;
  const uint32_t served_by = dice_.below(posts.size() + 1);
  if (served_by == posts.size()) {
    if (semaphore.initial == 0) return {};
    --semaphore.initial;
    if (!posts.empty() || dice_.one_in(2)) e.value = trace::Event::kNoPartner;
    return e;
  }
  // Without a ticket the oldest post counts as the server.
  e.value = posts[served_by];
  posts.erase(e.value == trace::Event::kUnknown ? posts.begin() : posts.begin() + served_by);
  return e;
}

}  // namespace foretell::oracle
