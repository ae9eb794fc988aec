#include "analysis/deadlock/lock_graph/lock_graph.h"

namespace foretell {

void LockGraph::on_event(const Event& e) {
  const auto node = cycles_.on_event(e);
  if (!node) return;
  ++nested_acquires_;
  if (*node >= instances_.size()) instances_.resize(*node + 1);
  if (instances_[*node].size() < kMostInstances) instances_[*node].push_back(EventRef::of(e));
}

void LockGraph::finish() {
  cut_off_ = !cycles_.for_each_cycle([&](Cycle cycle) { propose(cycle); });
}

// Every choice of instances of the cycle's nodes, the earliest ones first.
void LockGraph::propose(Cycle cycle) {
  ++found_;
  std::vector<size_t> choice(cycle.size());
  for (;;) {
    if (++proposals_ > kMostProposals) return;
    Proposal proposal{.kind = FindingKind::deadlock};
    for (size_t i = 0; i < cycle.size(); ++i) {
      proposal.events.push_back(instances_[cycle[i]][choice[i]]);
    }
    sink_.propose_other(std::move(proposal));
    size_t i = 0;
    while (i < cycle.size() && ++choice[i] == instances_[cycle[i]].size()) choice[i++] = 0;
    if (i == cycle.size()) return;
  }
}

void LockGraph::report_counters(CounterSink& sink) const {
  sink.count("nested acquire", nested_acquires_);
  sink.count("different ones", cycles_.node_count());
  sink.count("cycle", found_);
  if (cut_off_) sink.count("search cut off", 1);
  if (proposals_ > kMostProposals) sink.count("proposals cut off", 1);
}

}  // namespace foretell
