// SPDX-License-Identifier: Apache-2.0

#include "analysis/deadlock/lock_graph/lock_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::analysis {

void LockGraph::on_event(const trace::Event& e) {
  const auto node = cycles_.on_event(e);
  if (!node) return;
  ++nested_acquires_;
  if (*node >= instances_.size()) instances_.resize(*node + 1);
  if (instances_[*node].size() < kMostInstances)
    instances_[*node].push_back(finding::EventRef::of(e));
}

void LockGraph::finish() {
  cut_off_at_ = cycles_.for_each_cycle([&](Cycle cycle) { propose(cycle); });
}

void LockGraph::propose(Cycle cycle) {
  ++found_;
  std::vector<SiteId> sites;
  for (LockCycles::NodeId n : cycle) sites.push_back(instances_[n].front().site);
  const size_t wanted = quota_.of_next(std::move(sites));
  if (wanted == 0) {
    ++alike_;
    return;
  }
  std::vector<std::vector<EventIndex>> when(cycle.size());
  for (size_t i = 0; i < cycle.size(); ++i) {
    for (const finding::EventRef& e : instances_[cycle[i]]) when[i].push_back(e.index);
  }
  const bool all = InstanceChoices(std::move(when))
                       .for_each(
                           [&](const auto& choice) {
                             if (++proposals_ > kMostProposals) return false;
                             finding::Proposal proposal{.kind = finding::FindingKind::deadlock};
                             for (size_t i = 0; i < cycle.size(); ++i) {
                               proposal.events.push_back(instances_[cycle[i]][choice[i]]);
                             }
                             sink_.propose(std::move(proposal));
                             return true;
                           },
                           wanted);
  if (!all) ++not_all_choices_;
}

void LockGraph::report_counters(CounterSink& sink) const {
  sink.count("nested acquire", nested_acquires_);
  sink.count("different ones", cycles_.node_count());
  sink.count("cycle", found_);
  if (alike_ > 0) sink.count("cycle at the same places as others", alike_);
  if (not_all_choices_ > 0) sink.count("cycle with too many instances", not_all_choices_);
  if (cut_off_at_) {
    sink.count("search cut off", 1);
    sink.left_out(
        fmt::format("all cycles of {} and more threads: the search was cut off after {} "
                    "steps",
                    *cut_off_at_, LockCycles::kMostSteps));
  }
  if (proposals_ > kMostProposals) {
    sink.count("proposals cut off", 1);
    sink.left_out(fmt::format("all choices of acquires: there are more than {}", kMostProposals));
  }
}

}  // namespace foretell::analysis
