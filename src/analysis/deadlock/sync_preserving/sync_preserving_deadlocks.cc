// SPDX-License-Identifier: Apache-2.0

#include "analysis/deadlock/sync_preserving/sync_preserving_deadlocks.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::analysis {

void SyncPreservingDeadlocks::on_event(const trace::Event& e) {
  if (!ideals_) return look(e);
  if (is_access(e.kind)) return access(e);
  if (const auto node = cycles_->on_event(e)) note(*node, e);
  ideals_->on_sync(e);
}

void SyncPreservingDeadlocks::look(const trace::Event& e) {
  sharing_.on_event(e);
  if (!is_access(e.kind) && cycles_->on_event(e)) ++nested_acquires_;
}

void SyncPreservingDeadlocks::access(const trace::Event& e) {
  const uint64_t write = writes_;
  writes_ += is_write(e.kind);
  const Sharing::Place place = sharing_->place(e.location());
  if (place.number != 0) {
    ideals_->need_allocation(e, place.number);
    ideals_->need_frees(e, place.number);
    ideals_->access(e, place.number, write);
  } else if (e.is_ambiguous()) {
    ideals_->ambiguous_read(e.thread);
  }
}

void SyncPreservingDeadlocks::note(LockCycles::NodeId node, const trace::Event& e) {
  if (e.kind == trace::EventKind::WaitEnd) {
    if (e.partner() == kNoEvent) return;  // may end at any time
    ideals_->need_notify(e);
  }
  if (!ideals_->is_reachable(e.thread)) return;
  if (node >= nodes_.size()) nodes_.resize(node + 1);
  nodes_[node].thread = e.thread;
  nodes_[node].site = e.site;
  nodes_[node].all.push_back({e.index, ideals_->now(e.thread), ideals_->ideal(e.thread), e.kind});
}

void SyncPreservingDeadlocks::finish() {
  if (!ideals_) {
    sharing_.finish();
    bool has_cycle = false;
    cut_off_at_ = cycles_->for_each_cycle([&](auto) { has_cycle = true; });
    if (!has_cycle && !cut_off_at_) return;
    cycles_.emplace();
    ideals_ = std::make_unique<Ideals>(*sharing_, options_, SyncOrder::kept);
    return;
  }
  nodes_.resize(cycles_->node_count());
  cut_off_at_ = cycles_->for_each_cycle([&](auto pattern) { check(pattern); });
}

void SyncPreservingDeadlocks::check(std::span<const LockCycles::NodeId> pattern) {
  ++patterns_;
  ideals_->forget_gathered();
  std::vector<size_t> choice(pattern.size());
  std::vector<Ideals::Earlier> stops(pattern.size());
  for (bool moved = true; moved;) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      const Instances& node = nodes_[pattern[i]];
      if (choice[i] == node.all.size()) return;
      const Instance& at = node.all[choice[i]];
      stops[i] = {node.thread, at.step, at.ideal};
    }
    ++closures_;
    if (!ideals_->gather(stops)) return;
    moved = false;
    for (size_t i = 0; i < pattern.size(); ++i) {
      const std::vector<Instance>& all = nodes_[pattern[i]].all;
      while (choice[i] < all.size() && ideals_->is_gathered(stops[i].thread, all[choice[i]].step)) {
        ++choice[i];
        moved = true;
      }
    }
  }
  ++deadlocks_;
  finding::Proposal proposal{.kind = finding::FindingKind::deadlock};
  for (size_t i = 0; i < pattern.size(); ++i) {
    const Instances& node = nodes_[pattern[i]];
    const Instance& at = node.all[choice[i]];
    proposal.events.push_back({at.index, node.thread, at.kind, node.site});
  }
  sink_.propose(std::move(proposal));
}

void SyncPreservingDeadlocks::report_counters(CounterSink& counters) const {
  counters.count("nested acquire", nested_acquires_);
  counters.count("different ones", cycles_->node_count());
  counters.count("pattern", patterns_);
  counters.count("closed set made", closures_);
  counters.count("deadlock", deadlocks_);
  if (!cut_off_at_) return;
  counters.count("search cut off", 1);
  counters.left_out(
      fmt::format("all cycles of {} and more threads: the search was cut off after "
                  "{} steps",
                  *cut_off_at_, LockCycles::kMostSteps));
}

}  // namespace foretell::analysis
