#include "analysis/race/must_before/embracer.h"

#include <algorithm>

namespace foretell {

[[gnu::noinline]] void Embracer::add_pair(const AccessEntry& first, const Event& second,
                                          const ThreadState& thread) {
  pairs_.add({second.location(), first, EventRef::of(second), thread.clock}, !thread.open.empty());
  if (open_blocks_ == 0) pairs_.decide();
}

void Embracer::read(const Event& e) {
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

void Embracer::write(const Event& e) {
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
void Embracer::pair_with_plain(const Event& e, ShadowLocation& x, const ThreadState& thread) {
  x.keep_plain_accesses();
  auto pair_with = [&](const AccessEntry& plain) {
    if (!thread.clock.contains(plain.epoch)) add_pair(plain, e, thread);
  };
  pair_with(x.plain->write);
  if (!is_write(e.kind)) return;
  for (const AccessEntry& read : x.plain->reads.entries()) pair_with(read);
}

void Embracer::volatile_read(const Event& e) {
  ++volatile_read_;
  ThreadState& thread = thread_state(e.thread);
  ShadowLocation& x = locations_[e.location()];
  pair_with_plain(e, x, thread);
  thread.clock.join(x.write.clock);
  thread.clock.increment_head();
  x.set_read(e, thread.clock);
}

void Embracer::volatile_write(const Event& e) {
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
  auto add = [&](AdjustableClock& earlier) {
    // 16.1: an edge that the acquire's clock has already is left out.
    if (block.acquired.contains(earlier.head()) ||
        (late && edges_.leads(earlier.head(), thread, block.opened()))) {
      ++elided_edge_;
      return;
    }
    ++extra_edge_;
    found = true;
    edges_.adjust(earlier);
    extra.join(earlier);
  };
  history_.for_each_before(block.lock, block.mode, thread, release.clock, add);
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

void Embracer::fork(const Event& e) {
  ++fork_;
  thread_state(e.other_thread());  // may move the rows
  ThreadState& parent = thread_state(e.thread);
  ThreadState& child = thread_state(e.other_thread());
  child.clock.join(parent.clock);
  child.clock.increment_head();
  parent.clock.increment_head();
}

void Embracer::join(const Event& e) {
  ++join_;
  thread_state(e.other_thread());  // may move the rows
  ThreadState& joiner = thread_state(e.thread);
  ThreadState& child = thread_state(e.other_thread());
  joiner.clock.join(child.clock);
  joiner.clock.increment_head();
  child.clock.increment_head();
  child.joined = true;
}

void Embracer::post_wait(const Event& e) {
  ++post_wait_;
  if (e.partner() != kNoEvent) {
    thread_state(e.thread).clock.join(hard_edges_.last_notify(e.condition()));
  }
  acquire(e.thread, e.lock(), LockMode::exclusive);
}

void Embracer::notify(const Event& e) {
  ++notify_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  AdjustableClock& last = hard_edges_.last_notify(e.condition());
  clock.join(last);
  clock.increment_head();
  last = clock;
}

void Embracer::barrier_enter(const Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  clock.increment_head();
  hard_edges_.enter_barrier(e, clock);
}

void Embracer::barrier_exit(const Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  hard_edges_.leave_barrier(e, clock);
  clock.increment_head();
}

void Embracer::semaphore_post(const Event& e) {
  ++hard_;
  AdjustableClock& clock = thread_state(e.thread).clock;
  clock.increment_head();
  hard_edges_.post(e, clock);
}

void Embracer::semaphore_wait(const Event& e) {
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

template <class F>
void Embracer::for_each_clock_in_use(F&& f) {
  for (size_t i = 0; i < threads_.size(); ++i) {
    ThreadState& thread = threads_[ThreadId{static_cast<uint32_t>(i)}];
    f(thread.clock);
    for (OpenBlock& block : thread.open) f(block.acquired);
  }
  for (size_t i = 0; i < locations_.size(); ++i) {
    locations_[LocationId{static_cast<uint32_t>(i)}].for_each_clock(f);
  }
  for (ClosedBlock& closed : recent_) {
    f(closed.released);
    f(closed.block.acquired);
  }
  hard_edges_.for_each_clock(f);
}

// By thread, the time up to which every other thread has heard of it in all its open sections.
std::vector<Time> Embracer::known_to_all() {
  std::vector<Time> known(threads_.size(), ~Time{0});
  for (size_t i = 0; i < threads_.size(); ++i) {
    const ThreadState& thread = threads_[ThreadId{static_cast<uint32_t>(i)}];
    if (thread.clock.head().is_zero() || thread.joined) continue;
    // The outermost section began with the least.
    const AdjustableClock& least =
        thread.open.empty() ? thread.clock : thread.open.front().acquired;
    for (size_t j = 0; j < known.size(); ++j) {
      if (j != i) known[j] = std::min(known[j], least[ThreadId{static_cast<uint32_t>(j)}]);
    }
  }
  return known;
}

// Adjusts every clock, so that no edge is needed any more, and drops sections that none points
// into.
[[gnu::noinline]] void Embracer::sweep() {
  ++sweep_;
  most_history_ = std::max(most_history_, history_.size());
  most_edges_ = std::max(most_edges_, edges_.size());
  size_t clocks = 0;
  for_each_clock_in_use([&](AdjustableClock& clock) {
    edges_.adjust(clock);
    ++clocks;
  });
  history_.prune_known(known_to_all());
  if (history_.size() > limits_.sweep / 2 && limits_.prune_unused) prune_unused_history();
  history_.for_each_clock([&](AdjustableClock& clock) { edges_.adjust(clock); });
  pairs_.for_each_clock([&](AdjustableClock& clock) { edges_.adjust(clock); });
  edges_.clear();
  kept_history_ = history_.size();
  // Often enough that memory stays in proportion, rarely enough that releases pay for the sweep.
  if (limits_.sweep > 0) sweep_at_ = std::max({limits_.sweep, 2 * history_.size(), clocks});
}

void Embracer::prune_unused_history() {
  std::vector<std::vector<Time>> used(threads_.size());
  for_each_clock_in_use([&](const AdjustableClock& clock) {
    for (size_t i = 0; i < used.size(); ++i) {
      const Time time = clock[ThreadId{static_cast<uint32_t>(i)}];
      if (time > 0) used[i].push_back(time);
    }
  });
  for (std::vector<Time>& times : used) {
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
  }
  history_.prune_unused(used, false);
  if (history_.size() > limits_.sweep / 2) history_.prune_unused(used, true);
}

Embracer::View Embracer::view(LockId lock) {
  View view;
  edges_.for_each([&](const VectorClock& released, ThreadId thread, Time opened) {
    view.edges.emplace_back(released, Epoch(thread, opened - 1));
  });
  history_.for_each(lock, [&](ThreadId thread, Time opened, const VectorClock& released) {
    view.history.emplace_back(Epoch(thread, opened - 1), released);
  });
  for (size_t i = 0; i < threads_.size(); ++i) {
    for (const OpenBlock& block : threads_[ThreadId{static_cast<uint32_t>(i)}].open) {
      if (block.lock == lock) view.open = block.acquired.clock;
    }
  }
  pairs_.for_each(
      [&](const BadPair& pair) { view.bad.emplace_back(pair.first.epoch, pair.before.clock); });
  return view;
}

void Embracer::report_counters(CounterSink& counters) const {
  counters.count("read own write", read_own_write_);
  counters.count("read", read_);
  counters.count("write", write_);
  counters.count("volatile read", volatile_read_);
  counters.count("volatile write", volatile_write_);
  counters.count("acquire", acquire_);
  counters.count("release", release_);
  counters.count("fork", fork_);
  counters.count("join", join_);
  counters.count("post wait", post_wait_);
  counters.count("notify", notify_);
  counters.count("barrier or semaphore", hard_);
  counters.count("extra edge", extra_edge_);
  counters.count("extra edge elided", elided_edge_);
  counters.count("late edge", late_edge_);
  counters.count("recent section dropped", recent_dropped_);
  counters.count("closed state", closed_state_);
  counters.count("sweep", sweep_);
  counters.count("most sections kept", std::max(most_history_, history_.size()));
  counters.count("sections kept after the last sweep", kept_history_);
  counters.count("most extra edges kept", std::max(most_edges_, edges_.size()));
  pairs_.report_counters(counters);
}

}  // namespace foretell
