// SPDX-License-Identifier: Apache-2.0

#include "clocks/sync_clocks.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::clocks {

void SyncClocks::on_event(const trace::Event& e) {
  using enum trace::EventKind;
  match(e.kind, trace::Cases{
                    trace::on<trace::kAtomics, Free>([&] {
                      before_access(e);
                      after_access(e);
                    }),
                    trace::on<Acquire>([&] { acquire(e); }),
                    trace::on<Release>([&] { release(e); }),
                    trace::on<AcquireShared>([&] { acquire_shared(e); }),
                    trace::on<ReleaseShared>([&] { release_shared(e); }),
                    trace::on<Fork>([&] { fork(e); }),
                    trace::on<Join>([&] { join(e); }),
                    trace::on<Fence>([&] { fence(e); }),
                    trace::on<WaitBegin>([&] { wait_begin(e); }),
                    trace::on<WaitEnd>([&] { wait_end(e); }),
                    trace::on<trace::kNotifies>([&] { notify(e); }),
                    trace::on<BarrierEnter>([&] { barrier_enter(e); }),
                    trace::on<BarrierExit>([&] { barrier_exit(e); }),
                    trace::on<SemaphorePost>([&] { semaphore_post(e); }),
                    trace::on<SemaphoreWait>([&] { semaphore_wait(e); }),
                    trace::ignored<trace::kPlainAccesses, Alloc, trace::kRequests,
                                   trace::kFailedTries, trace::kRemarks>,
                });
}

void SyncClocks::begin(ThreadId thread, ThreadState& state) {
  CHECK(to_index(thread) < Epoch::kThreads);
  state.clock.raise(Epoch(thread, 1));
}

void SyncClocks::order_after(ThreadId earlier, ThreadId later) {
  thread_state(later);  // may move the rows
  ThreadState& from = thread_state(earlier);
  learn(later, thread_state(later), from.clock);
  from.clock.increment_head();
}

void SyncClocks::acquire(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  const LockState& lock = locks_[e.lock()];
  // A thread's own release has nothing new for it.
  if (lock.exclusive.head().thread() != e.thread) thread.clock.join(lock.exclusive);
  if (!lock.shared.is_zero()) thread.clock.join(lock.shared);
}

void SyncClocks::acquire_shared(const trace::Event& e) {
  thread_state(e.thread).clock.join(locks_[e.lock()].exclusive);
}

void SyncClocks::release(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  LockState& lock = locks_[e.lock()];
  // The holder took all earlier releases with it when it acquired.
  lock.exclusive = thread.clock;
  lock.shared = VectorClock();
  thread.clock.increment_head();
}

void SyncClocks::release_shared(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  locks_[e.lock()].shared.join(thread.clock);
  thread.clock.increment_head();
}

void SyncClocks::fork(const trace::Event& e) {
  order_after(e.thread, e.other_thread());
}

void SyncClocks::join(const trace::Event& e) {
  order_after(e.other_thread(), e.thread);
  ThreadState& child = thread_state(e.other_thread());
  child.unfenced = child.fence = VectorClock();
}

void SyncClocks::wait_begin(const trace::Event& e) {
  release(e);
  conditions_[e.condition()].waits.push_back({e.thread, e.index});
}

void SyncClocks::notify(const trace::Event& e) {
  auto condition = conditions_.find(e.condition());
  if (condition == conditions_.end()) return;
  ThreadState& thread = thread_state(e.thread);
  condition->second.notifies.push_back(
      {e.index, e.kind == trace::EventKind::NotifyAll, thread.clock});
  thread.clock.increment_head();
}

void SyncClocks::wait_end(const trace::Event& e) {
  acquire(e);
  auto condition = conditions_.find(e.condition());
  CHECK(condition != conditions_.end());
  auto& [waits, notifies] = condition->second;
  if (e.partner() != kNoEvent) {
    auto served = std::ranges::lower_bound(notifies, e.partner(), {}, &Notify::index);
    CHECK(served != notifies.end() && served->index == e.partner());
    learn(e.thread, thread_state(e.thread), served->clock);
    if (!served->all) notifies.erase(served);
  }
  auto wait = std::ranges::find(waits, e.thread, &Wait::thread);
  CHECK(wait != waits.end());
  waits.erase(wait);
  if (waits.empty()) {
    conditions_.erase(condition);
    return;
  }
  // A notify serves only waits that had begun before it.
  while (!notifies.empty() && notifies.front().index < waits.front().began) notifies.pop_front();
}

void SyncClocks::barrier_enter(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  auto& generations = barriers_[e.barrier()];
  if (generations.empty() || generations.back().number != e.generation()) {
    std::erase_if(generations, [](const Generation& g) { return g.inside == 0; });
    generations.push_back({e.generation(), 0, VectorClock()});
  }
  ++generations.back().inside;
  generations.back().clock.join(thread.clock);
  thread.clock.increment_head();
}

void SyncClocks::barrier_exit(const trace::Event& e) {
  auto& generations = barriers_[e.barrier()];
  auto entered = std::ranges::find(generations, e.generation(), &Generation::number);
  CHECK(entered != generations.end() && entered->inside > 0);
  learn(e.thread, thread_state(e.thread), entered->clock);
  --entered->inside;
}

void SyncClocks::semaphore_post(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  posts_.emplace(e.index, thread.clock);
  thread.clock.increment_head();
}

void SyncClocks::semaphore_wait(const trace::Event& e) {
  if (e.partner() == kNoEvent) return;
  auto post = posts_.find(e.partner());
  CHECK(post != posts_.end());
  if (post->second.head().thread() != e.thread) {
    learn(e.thread, thread_state(e.thread), post->second);
  }
  posts_.erase(post);
}

void SyncClocks::atomic_read(const trace::Event& e) {
  auto released = atomics_.find(e.location());
  // A thread's own release has nothing new for it.
  if (released == atomics_.end() || released->second.writer == e.thread) return;
  ThreadState& thread = thread_state(e.thread);
  if (trace::is_acquire(e.order)) {
    learn(e.thread, thread, released->second.clock);
  } else {
    thread.unfenced.join(released->second.clock);
  }
}

void SyncClocks::atomic_write(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  const bool releases = trace::is_release(e.order);
  const VectorClock& published = releases ? thread.clock : thread.fence;
  const bool continues_sequence = e.kind == trace::EventKind::AtomicRmw;
  if (!continues_sequence && published.is_zero()) {
    atomics_.erase(e.location());
  } else if (!published.is_zero()) {
    const auto [row, fresh] = atomics_.try_emplace(e.location());
    // A read-modify-write that acquires has taken the sequence before it into its own clock.
    if (fresh || !continues_sequence || (releases && trace::is_acquire(e.order))) {
      row->second = {published, e.thread};
    } else {
      row->second.clock.join(published);
      if (row->second.writer != e.thread) row->second.writer = kNoThread;
    }
  }
  if (releases) thread.clock.increment_head();
}

void SyncClocks::fence(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  if (trace::is_acquire(e.order)) {
    learn(e.thread, thread, thread.unfenced);
    thread.unfenced = VectorClock();
  }
  if (trace::is_release(e.order)) {
    thread.fence = thread.clock;
    thread.clock.increment_head();
  }
}

}  // namespace foretell::clocks
