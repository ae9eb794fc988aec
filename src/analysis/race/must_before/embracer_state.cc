// SPDX-License-Identifier: Apache-2.0

// What Embracer keeps: sweeping it, showing it, counting it. The rules are in embracer.cc.
#include <algorithm>

#include "analysis/race/must_before/embracer.h"

namespace foretell::analysis {

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
std::vector<clocks::Time> Embracer::known_to_all() {
  std::vector<clocks::Time> known(threads_.size(), ~clocks::Time{0});
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
  std::vector<std::vector<clocks::Time>> used(threads_.size());
  for_each_clock_in_use([&](const AdjustableClock& clock) {
    for (size_t i = 0; i < used.size(); ++i) {
      const clocks::Time time = clock[ThreadId{static_cast<uint32_t>(i)}];
      if (time > 0) used[i].push_back(time);
    }
  });
  for (std::vector<clocks::Time>& times : used) {
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
  }
  history_.prune_unused(used, false);
  if (history_.size() > limits_.sweep / 2) history_.prune_unused(used, true);
}

Embracer::View Embracer::view(LockId lock) {
  View view;
  edges_.for_each([&](const clocks::VectorClock& released, ThreadId thread, clocks::Time opened) {
    view.edges.emplace_back(released, clocks::Epoch(thread, opened - 1));
  });
  history_.for_each(lock,
                    [&](ThreadId thread, clocks::Time opened, const clocks::VectorClock& released) {
                      view.history.emplace_back(clocks::Epoch(thread, opened - 1), released);
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

}  // namespace foretell::analysis
