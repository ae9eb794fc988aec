// SPDX-License-Identifier: Apache-2.0

#include "clocks/sync_edges.h"

#include <algorithm>

#include "base/check.h"
#include "trace/event_match.h"

namespace foretell::clocks {

const std::vector<SyncEdge>& SyncEdges::on_event(const trace::Event& e) {
  edges_.clear();
  ThreadState& thread = threads_[e.thread];
  if (thread.last == kNoEvent && thread.parent != kNoEvent) {
    add({thread.parent, thread.parent_thread}, e, SyncEdgeKind::fork);
  }
  synchronize(e);
  threads_[e.thread].last = e.index;  // the table may have grown
  return edges_;
}

void SyncEdges::synchronize(const trace::Event& e) {
  using enum trace::EventKind;
  match(
      e.kind,
      trace::Cases{
          trace::on<AtomicRead>([&] { atomic_read(e); }),
          trace::on<AtomicWrite>([&] { atomic_write(e); }),
          trace::on<AtomicRmw>([&] {
            atomic_read(e);
            atomic_write(e);
          }),
          trace::on<Free>([&] { atomics_.erase(e.location()); }),
          trace::on<Acquire>([&] { acquire(e); }),
          trace::on<AcquireShared>([&] { add(locks_[e.lock()].exclusive, e, SyncEdgeKind::lock); }),
          trace::on<Release, WaitBegin>([&] { release(e); }),
          trace::on<ReleaseShared>([&] { put(locks_[e.lock()].shared, {e.index, e.thread}); }),
          trace::on<Fork>([&] {
            ThreadState& child = threads_[e.other_thread()];
            child.parent = e.index;
            child.parent_thread = e.thread;
          }),
          trace::on<Join>([&] { join(e); }),
          trace::on<Fence>([&] { fence(e); }),
          trace::on<WaitEnd>([&] {
            acquire(e);
            served(e, SyncEdgeKind::notify);
          }),
          trace::on<trace::kNotifies, SemaphorePost>([&] { serving_.emplace(e.index, e.thread); }),
          trace::on<SemaphoreWait>([&] { served(e, SyncEdgeKind::semaphore); }),
          trace::on<BarrierEnter>([&] { barrier_enter(e); }),
          trace::on<BarrierExit>([&] { barrier_exit(e); }),
          trace::ignored<trace::kPlainAccesses, Alloc, trace::kRequests, trace::kFailedTries,
                         trace::kRemarks>,
      });
}

void SyncEdges::put(Sources& sources, Source source) {
  auto mine = std::ranges::find(sources, source.thread, &Source::thread);
  if (mine == sources.end()) {
    sources.push_back(source);
  } else {
    mine->index = std::max(mine->index, source.index);
  }
}

void SyncEdges::add(const Source& from, const trace::Event& to, SyncEdgeKind kind) {
  if (from.thread != to.thread) edges_.push_back({from.index, to.index, kind});
}

void SyncEdges::acquire(const trace::Event& e) {
  const LockState& lock = locks_[e.lock()];
  add(lock.exclusive, e, SyncEdgeKind::lock);
  add(lock.shared, e, SyncEdgeKind::lock);
}

void SyncEdges::release(const trace::Event& e) {
  LockState& lock = locks_[e.lock()];
  // The holder came after all earlier releases when it acquired.
  lock.exclusive = {{e.index, e.thread}};
  lock.shared.clear();
}

void SyncEdges::join(const trace::Event& e) {
  const ThreadState& child = threads_[e.other_thread()];
  if (child.last != kNoEvent) {
    add({child.last, e.other_thread()}, e, SyncEdgeKind::join);
  } else if (child.parent != kNoEvent) {
    // A thread that did nothing still began after its fork.
    add({child.parent, child.parent_thread}, e, SyncEdgeKind::join);
  }
}

void SyncEdges::served(const trace::Event& e, SyncEdgeKind kind) {
  if (e.partner() == kNoEvent) return;
  const auto server = serving_.find(e.partner());
  CHECK(server != serving_.end());
  add({server->first, server->second}, e, kind);
  // A notifyall may serve others too; a post serves once.
  if (kind == SyncEdgeKind::semaphore) serving_.erase(server);
}

void SyncEdges::barrier_enter(const trace::Event& e) {
  auto& generations = barriers_[e.barrier()];
  if (generations.empty() || generations.back().number != e.generation()) {
    std::erase_if(generations, [](const Generation& g) { return g.inside == 0; });
    generations.push_back({e.generation(), 0, {}});
  }
  ++generations.back().inside;
  put(generations.back().entered, {e.index, e.thread});
}

void SyncEdges::barrier_exit(const trace::Event& e) {
  auto& generations = barriers_[e.barrier()];
  const auto entered = std::ranges::find(generations, e.generation(), &Generation::number);
  CHECK(entered != generations.end() && entered->inside > 0);
  add(entered->entered, e, SyncEdgeKind::barrier);
  --entered->inside;
}

void SyncEdges::atomic_read(const trace::Event& e) {
  const auto released = atomics_.find(e.location());
  if (released == atomics_.end()) return;
  if (trace::is_acquire(e.order)) {
    add(released->second, e, SyncEdgeKind::atomic);
  } else {
    for (const Source& source : released->second) put(threads_[e.thread].unfenced, source);
  }
}

void SyncEdges::atomic_write(const trace::Event& e) {
  const bool releases = trace::is_release(e.order);
  const EventIndex published = releases ? e.index : threads_[e.thread].fence;
  const bool continues_sequence = e.kind == trace::EventKind::AtomicRmw;
  if (!continues_sequence) atomics_.erase(e.location());
  if (published == kNoEvent) return;
  Sources& sources = atomics_[e.location()];
  // A read-modify-write that acquires comes after the sequence before it.
  if (releases && trace::is_acquire(e.order)) sources.clear();
  put(sources, {published, e.thread});
}

void SyncEdges::fence(const trace::Event& e) {
  ThreadState& thread = threads_[e.thread];
  if (trace::is_acquire(e.order)) {
    add(thread.unfenced, e, SyncEdgeKind::atomic);
    thread.unfenced.clear();
  }
  if (trace::is_release(e.order)) thread.fence = e.index;
}

}  // namespace foretell::clocks
