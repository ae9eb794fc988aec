// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/embracer.h"

#include <algorithm>

namespace foretell::analysis {

[[gnu::noinline]] void Embracer::add_pair(const AccessEntry& first, const trace::Event& second,
                                          const ThreadState& thread) {
  pairs_.add({second.location(), first, finding::EventRef::of(second), thread.clock},
             !thread.open.empty());
  if (open_blocks_ == 0) pairs_.decide();
}

void Embracer::read(const trace::Event& e) {
  ThreadState& thread = thread_state(e.thread);
  ShadowLocation& x = locations_[e.location()];
  if (x.write.epoch().thread() == e.thread && x.write.exists()) {
    // 16.1: who reads what it wrote itself need not look.
    ++read_own_write_;
  } else {
    ++read_;
    if (!thread.clock.contains(x.write.epoch())) {
      add_pair(x.write.entry(), e, thread);
      edges_.adjust(x.write.clock);
      thread.clock.join(x.write.clock);
    }
  }
  thread.clock.increment_head();
  x.set_read(e, thread.clock);
}

void Embracer::write(const trace::Event& e) {
  ++write_;
  ThreadState& thread = thread_state(e.thread);
  ShadowLocation& x = locations_[e.location()];
  const bool after_write = thread.clock.contains(x.write.epoch());
  if (!after_write) add_pair(x.write.entry(), e, thread);
  if (!x.read_only_by(e.thread)) {
    bool after_reads = true;
    x.for_each_read([&](const ClockedAccess& read) {
      if (thread.clock.contains(read.epoch())) return;
      after_reads = false;
      add_pair(read.entry(), e, thread);
    });
    if (!after_reads) {
      x.for_each_read([&](const ClockedAccess& read) { thread.clock.join(read.clock); });
    }
  }
  if (!after_write) thread.clock.join(x.write.clock);
  thread.clock.increment_head();
  x.set_write(e, thread.clock);
}

// An atomic access clashes with plain ones only.
void Embracer::pair_with_plain(const trace::Event& e, ShadowLocation& x,
                               const ThreadState& thread) {
  x.keep_plain_accesses();
  auto pair_with = [&](const AccessEntry& plain) {
    if (!thread.clock.contains(plain.epoch)) add_pair(plain, e, thread);
  };
  pair_with(x.plain->write);
  if (!is_write(e.kind)) return;
  for (const AccessEntry& read : x.plain->reads.entries()) pair_with(read);
}

void Embracer::volatile_read(const trace::Event& e) {
  ++volatile_read_;
  ThreadState& thread = thread_state(e.thread);
  ShadowLocation& x = locations_[e.location()];
  pair_with_plain(e, x, thread);
  thread.clock.join(x.write.clock);
  thread.clock.increment_head();
  x.set_read(e, thread.clock);
}

void Embracer::volatile_write(const trace::Event& e) {
  ++volatile_write_;
  ThreadState& thread = thread_state(e.thread);
  ShadowLocation& x = locations_[e.location()];
  pair_with_plain(e, x, thread);
  thread.clock.join(x.write.clock);
  x.for_each_read([&](const ClockedAccess& read) { thread.clock.join(read.clock); });
  thread.clock.increment_head();
  x.set_write(e, thread.clock);
}

void Embracer::acquire(ThreadId thread_id, LockId lock, LockMode mode) {
  ++acquire_;
  ThreadState& thread = thread_state(thread_id);
  thread.open.push_back({lock, mode, ++position_, thread.clock});
  ++open_blocks_;
  thread.clock.increment_head();
}

// Condition 3 for a section that ends at `release`: joins to `extra` what must end before it
// begins. False if that is nothing new. `late`: the section ended before.
bool Embracer::join_earlier_sections(const OpenBlock& block, ThreadId thread,
                                     const AdjustableClock& release, bool late,
                                     AdjustableClock& extra) {
  bool found = false;
  auto add_edge = [&](AdjustableClock& earlier) {
    if (late && edges_.leads(earlier.head(), thread, block.opened())) return;
    ++extra_edge_;
    found = true;
    edges_.adjust(earlier);
    extra.join(earlier);
  };
  // 16.1: an edge that the acquire's clock has already is left out.
  elided_edge_ += history_.for_each_before(block.lock, block.mode, thread, block.acquired.clock,
                                           release.clock, add_edge);
  return found;
}

void Embracer::release(ThreadId thread_id, LockId lock, LockMode mode) {
  ++release_;
  ThreadState& thread = thread_state(thread_id);
  auto last =
      std::ranges::find_if(thread.open.rbegin(), thread.open.rend(),
                           [&](const OpenBlock& b) { return b.lock == lock && b.mode == mode; });
  CHECK(last != thread.open.rend());
  OpenBlock block = std::move(*last);
  thread.open.erase(std::next(last).base());
  --open_blocks_;

  edges_.adjust(thread.clock);
  AdjustableClock extra;
  const bool found = join_earlier_sections(block, thread_id, thread.clock, false, extra);
  if (found) {
    thread.clock.join(extra);
    edges_.add(thread_id, block.opened(), extra.clock, thread.clock.head().time());
  }
  history_.add(lock, mode, thread_id, block.opened(), thread.clock);
  LateEdge edge{thread_id, block.opened(), block.began, std::move(extra)};
  if (recent_.size() >= limits_.recent) {
    recent_.pop_front();
    ++recent_dropped_;
  }
  recent_.push_back({std::move(block), ++position_, thread.clock});
  if (found) find_late_edges(std::move(edge));

  if (open_blocks_ == 0) {
    reach_closed_state();
  } else if (thread_state(thread_id).open.empty()) {
    pairs_.leave_sections(thread_id);
  }
  if (history_.size() + edges_.size() > sweep_at_) sweep();
}

void Embracer::find_late_edges(LateEdge first) {
  std::vector<LateEdge> work{std::move(first)};
  while (!work.empty()) {
    const LateEdge edge = std::move(work.back());
    work.pop_back();
    for (auto i = recent_.rbegin(); i != recent_.rend() && i->ended > edge.began; ++i) {
      // i's release has not heard of the acquire, or has all of it.
      if (i->released[edge.thread] < edge.opened || edge.extra.clock.leq(i->released.clock))
        continue;
      i->released.join(edge.extra);
      if (i->block.acquired[edge.thread] >= edge.opened) i->block.acquired.join(edge.extra);
      AdjustableClock extra;
      if (!join_earlier_sections(i->block, i->thread(), i->released, true, extra)) continue;
      ++late_edge_;
      AdjustableClock& now = thread_state(i->thread()).clock;
      now.join(extra);
      edges_.add(i->thread(), i->block.opened(), extra.clock, now.head().time());
      work.push_back({i->thread(), i->block.opened(), i->block.began, std::move(extra)});
    }
  }
}

void Embracer::reach_closed_state() {
  ++closed_state_;
  pairs_.decide();
  recent_.clear();
}

void Embracer::fork(const trace::Event& e) {
  ++fork_;
  thread_state(e.other_thread());  // may move the rows
  ThreadState& parent = thread_state(e.thread);
  ThreadState& child = thread_state(e.other_thread());
  child.clock.join(parent.clock);
  child.clock.increment_head();
  parent.clock.increment_head();
}

void Embracer::join(const trace::Event& e) {
  ++join_;
  thread_state(e.other_thread());  // may move the rows
  ThreadState& joiner = thread_state(e.thread);
  ThreadState& child = thread_state(e.other_thread());
  joiner.clock.join(child.clock);
  joiner.clock.increment_head();
  child.clock.increment_head();
  child.joined = true;
}

void Embracer::post_wait(const trace::Event& e) {
  ++post_wait_;
  if (e.partner() != kNoEvent) {
    thread_state(e.thread).clock.join(hard_edges_.last_notify(e.condition()));
  }
  acquire(e.thread, e.lock(), LockMode::exclusive);
}

void Embracer::notify(const trace::Event& e) {
  ++notify_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  AdjustableClock& last = hard_edges_.last_notify(e.condition());
  clock.join(last);
  clock.increment_head();
  last = clock;
}

void Embracer::barrier_enter(const trace::Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  clock.increment_head();
  hard_edges_.enter_barrier(e, clock);
}

void Embracer::barrier_exit(const trace::Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  hard_edges_.leave_barrier(e, clock);
  clock.increment_head();
}

void Embracer::semaphore_post(const trace::Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  clock.increment_head();
  hard_edges_.post(e, clock);
}

void Embracer::semaphore_wait(const trace::Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  hard_edges_.down(e, clock);
  clock.increment_head();
}

void Embracer::finish() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    const ThreadId thread{static_cast<uint32_t>(i)};
    while (!threads_[thread].open.empty()) {
      const OpenBlock& last = threads_[thread].open.back();
      release(thread, last.lock, last.mode);
    }
  }
  reach_closed_state();
}

}  // namespace foretell::analysis
