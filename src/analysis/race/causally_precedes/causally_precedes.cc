// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/causally_precedes.h"

#include <algorithm>
#include <utility>

namespace foretell::analysis {

void CausallyPrecedes::access(const trace::Event& e) {
  if (!races_.empty()) apply_races(e);
  clocks_->before_access(e);
  unordered_->on_access(e, *clocks_);
  clocks_->after_access(e);
}

void CausallyPrecedes::propose(finding::Proposal race) {
  if (options_.order_after_race) {
    races_.push_back({race.location, race.events[0], race.events[1]});
    next_race_ = races_.size();
  } else {
    ++proposed_;
    sink_.propose(std::move(race));
  }
}

// The races an earlier pass found at `e` order it.
void CausallyPrecedes::apply_races(const trace::Event& e) {
  for (; next_race_ < races_.size(); ++next_race_) {
    const Race& race = races_[next_race_];
    if (race.second.index != e.index || race.location != e.location()) return;
    clocks_->order_after(race.first.thread, race.second.thread);
  }
}

void CausallyPrecedes::begin(Pass pass) {
  pass_ = pass;
  next_race_ = 0;
  edges_.recount_uses();
  clocks_ = std::make_unique<CpClocks>(edges_);
  if (pass == Pass::report) {
    unordered_ = std::make_unique<OrderRaces>(options_, static_cast<ProposalSink&>(*this));
  }
}

void CausallyPrecedes::finish() {
  ++passes_;
  switch (pass_) {
    case Pass::wait:
      pass_ = (*sharing_)->rival_locations() == 0 ? Pass::done : Pass::clashes;
      return;
    case Pass::clashes:
      clashes_.reset();
      rule_a_ = edges_.size();
      return begin(Pass::settle);
    case Pass::settle:
      clocks_->finish();
      rule_b_ += clocks_->late_edges();
      drop_races_after(clocks_->earliest_late());
      return begin(clocks_->late_edges() == 0 ? Pass::report : Pass::settle);
    case Pass::report:
      return end_report();
    case Pass::done:
      return;
  }
}

// Without order_after_race the report pass repeats the last settling pass, which found no edge.
void CausallyPrecedes::end_report() {
  clocks_->finish();
  CHECK(options_.order_after_race || clocks_->late_edges() == 0);
  if (clocks_->late_edges() > 0) {
    rule_b_ += clocks_->late_edges();
    drop_races_after(clocks_->earliest_late());
    if (++restarts_ <= kRestarts) return begin(Pass::settle);
  }
  for (const Race& race : races_) {
    sink_.propose(finding::Proposal::race(race.location, race.first, race.second));
  }
  proposed_ += races_.size();
  pass_ = Pass::done;
  orders_ = clocks_->section_orders();
  clocks_.reset();
  repeated_ = unordered_->repeated();
  unordered_.reset();
}

void CausallyPrecedes::drop_races_after(EventIndex index) {
  std::erase_if(races_, [&](const Race& race) { return race.second.index > index; });
}

void CausallyPrecedes::report_counters(CounterSink& sink) const {
  sink.count("pass", passes_);
  sink.count("edge by rule (a)", rule_a_);
  sink.count("edge by rule (b)", rule_b_);
  if (restarts_ > 0) sink.count("restart after a race", restarts_);
  sink.count("access repeated in epoch", repeated_);
  sink.count("race", proposed_);
  // The edge ratio of appendix A.
  sink.count("HB edges between sections", orders_.happens_before);
  sink.count("CP edges between sections", orders_.causally_precedes);
  if (orders_.happens_before > 0) {
    sink.count("CP / HB edges, percent", 100 * orders_.causally_precedes / orders_.happens_before);
  }
}

}  // namespace foretell::analysis
