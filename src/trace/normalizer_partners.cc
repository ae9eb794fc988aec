// SPDX-License-Identifier: Apache-2.0

// The part of the normalizer that finds partners: which notify served a wake, which post a down,
// and which round of a barrier an event belongs to.
#include <algorithm>

#include "trace/normalizer.h"

namespace foretell::trace {

Result<void> Normalizer::wait_begin(const Event& e, std::vector<Event>& out) {
  LockState& lock = locks_[e.lock()];
  if (!lock.held || lock.holder != e.thread) {
    return fail("thread {} waits on condition {} without holding lock {}", thread_name(e.thread),
                condition_name(e.condition()), lock_name(e.lock()));
  }
  ThreadState& thread = threads_[e.thread];
  thread.blocked = Blocked::waiting;
  thread.blocked_on = e.object;
  thread.wait_lock = e.lock();
  thread.wait_depth = lock.depth;
  thread.wait_began = e.index;
  lock.held = false;
  lock.depth = 0;
  conditions_[e.condition()].waiting.push_back(e.thread);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::notify(Event e, std::vector<Event>& out) {
  ConditionState& condition = conditions_[e.condition()];
  const uint64_t ticket = e.value;
  if (ticket != Event::kUnknown && condition.tickets.contains(ticket)) {
    return fail("thread {} notifies condition {} with ticket #{}, which is still in use",
                thread_name(e.thread), condition_name(e.condition()), ticket - 1);
  }
  // Without a waiter it wakes nobody, then or later.
  if (const auto waiters = static_cast<uint32_t>(condition.waiting.size()); waiters > 0) {
    const uint32_t may_serve = e.kind == EventKind::NotifyAll ? waiters : 1;
    condition.notifies.emplace(e.index, Notify{ticket, may_serve});
    if (ticket != Event::kUnknown) condition.tickets.emplace(ticket, e.index);
  }
  e.value = 0;
  out.push_back(e);
  return {};
}

// The notify that served `wake`, which then serves one wake less. Without a ticket the earliest one
// since the wait began is taken; none at all is a spurious wake-up.
Result<EventIndex> Normalizer::take_notify(const Event& wake, ConditionState& condition) {
  if (wake.value == Event::kNoPartner) return kNoEvent;
  auto& notifies = condition.notifies;
  const EventIndex wait_began = threads_[wake.thread].wait_began;
  auto found = notifies.upper_bound(wait_began);
  if (wake.value != Event::kUnknown) {
    const auto by_ticket = condition.tickets.find(wake.value);
    if (by_ticket == condition.tickets.end() || by_ticket->second < wait_began) {
      return fail(
          "thread {} wakes from condition {} by ticket #{}, which no notify since the wait began "
          "has left",
          thread_name(wake.thread), condition_name(wake.condition()), wake.value - 1);
    }
    found = notifies.find(by_ticket->second);
  }
  if (found == notifies.end()) return kNoEvent;
  const EventIndex partner = found->first;
  if (--found->second.may_serve == 0) {
    condition.tickets.erase(found->second.ticket);
    notifies.erase(found);
  }
  return partner;
}

// A notify only serves waits that had begun before it.
void Normalizer::forget_old_notifies(ConditionState& condition) {
  auto& notifies = condition.notifies;
  const auto keep = condition.waiting.empty()
                        ? notifies.end()
                        : notifies.upper_bound(threads_[condition.waiting.front()].wait_began);
  for (auto it = notifies.begin(); it != keep; it = notifies.erase(it)) {
    condition.tickets.erase(it->second.ticket);
  }
}

Result<void> Normalizer::wait_end(Event e, std::vector<Event>& out) {
  ThreadState& thread = threads_[e.thread];
  const std::string name = condition_name(e.condition());
  if (thread.blocked != Blocked::waiting || thread.blocked_on != e.object) {
    return fail("thread {} wakes from condition {}, on which it does not wait",
                thread_name(e.thread), name);
  }
  if (thread.wait_lock != e.lock()) {
    return fail("thread {} wakes from condition {} with lock {}, but it waited with lock {}",
                thread_name(e.thread), name, lock_name(e.lock()), lock_name(thread.wait_lock));
  }
  LockState& lock = locks_[e.lock()];
  if (lock.held || !lock.readers.empty()) {
    return fail("thread {} wakes from condition {} and takes lock {}, which thread {} holds",
                thread_name(e.thread), name, lock_name(e.lock()),
                thread_name(lock.held ? lock.holder : lock.readers.front().thread));
  }

  ConditionState& condition = conditions_[e.condition()];
  FORETELL_TRY(partner, take_notify(e, condition));
  std::erase(condition.waiting, e.thread);
  forget_old_notifies(condition);

  thread.blocked = Blocked::no;
  lock.held = true;
  lock.holder = e.thread;
  lock.depth = thread.wait_depth;
  e.value = static_cast<uint64_t>(partner);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::barrier_enter(Event e, std::vector<Event>& out) {
  BarrierState& barrier = barriers_[e.barrier()];
  // The first arrival after somebody left belongs to the next round. So does one that names a new
  // generation: the leaves of the current one have only not been recorded yet.
  const bool names_another = e.value != Event::kUnknown && barrier.ticket != Event::kUnknown &&
                             barrier.ticket != e.value && !barrier.tickets.contains(e.value);
  if (barrier.opened || names_another) {
    ++barrier.generation;
    barrier.opened = false;
    barrier.ticket = Event::kUnknown;
  }
  if (e.value != Event::kUnknown) {
    auto [it, fresh] = barrier.tickets.try_emplace(e.value, barrier.generation);
    if (it->second != barrier.generation) {
      return fail("thread {} enters generation #{} of barrier {}, which has opened already",
                  thread_name(e.thread), e.value - 1, barrier_name(e.barrier()));
    }
    barrier.ticket = e.value;
  }
  ThreadState& thread = threads_[e.thread];
  thread.blocked = Blocked::at_barrier;
  thread.blocked_on = e.object;
  thread.barrier_generation = barrier.generation;
  e.value = barrier.generation;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::barrier_exit(Event e, std::vector<Event>& out) {
  ThreadState& thread = threads_[e.thread];
  if (thread.blocked != Blocked::at_barrier || thread.blocked_on != e.object) {
    return fail("thread {} leaves barrier {}, which it has not entered", thread_name(e.thread),
                barrier_name(e.barrier()));
  }
  BarrierState& barrier = barriers_[e.barrier()];
  if (e.value != Event::kUnknown) {
    auto known = barrier.tickets.find(e.value);
    if (known == barrier.tickets.end() || known->second != thread.barrier_generation) {
      return fail("thread {} leaves generation #{} of barrier {}, but it entered another",
                  thread_name(e.thread), e.value - 1, barrier_name(e.barrier()));
    }
  }
  if (thread.barrier_generation == barrier.generation) barrier.opened = true;
  thread.blocked = Blocked::no;
  e.value = thread.barrier_generation;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::semaphore_post(Event e, std::vector<Event>& out) {
  SemaphoreState& semaphore = semaphores_[e.semaphore()];
  if (e.value != Event::kUnknown && !semaphore.tickets.emplace(e.value, e.index).second) {
    return fail("thread {} posts semaphore {} with ticket #{}, which is still in use",
                thread_name(e.thread), semaphore_name(e.semaphore()), e.value - 1);
  }
  semaphore.posts.push_back({e.index, e.value});
  e.value = 0;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::semaphore_wait(Event e, std::vector<Event>& out) {
  SemaphoreState& semaphore = semaphores_[e.semaphore()];
  auto& posts = semaphore.posts;
  EventIndex partner = kNoEvent;
  if (e.value == Event::kUnknown) {
    // Oldest first; a down that finds no post was served by the initial count.
    if (!posts.empty()) {
      partner = posts.front().index;
      semaphore.tickets.erase(posts.front().ticket);
      posts.pop_front();
    }
  } else if (e.value != Event::kNoPartner) {
    auto found = semaphore.tickets.find(e.value);
    if (found == semaphore.tickets.end()) {
      return fail("thread {} decrements semaphore {} by ticket #{}, which no earlier post has left",
                  thread_name(e.thread), semaphore_name(e.semaphore()), e.value - 1);
    }
    partner = found->second;
    semaphore.tickets.erase(found);
  }
  while (!posts.empty() && semaphore.is_taken(posts.front())) posts.pop_front();
  e.value = static_cast<uint64_t>(partner);
  out.push_back(e);
  return {};
}

}  // namespace foretell::trace
