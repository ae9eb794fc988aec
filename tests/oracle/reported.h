// SPDX-License-Identifier: Apache-2.0

// What a race detector reports of a trace, as pairs of positions.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "oracle.h"

namespace foretell::oracle {

class Proposals final : public analysis::ProposalSink {
 public:
  explicit Proposals(const trace::Trace& trace) : trace_(trace) {}
  void propose(finding::Proposal race) override {
    pairs.emplace_back(position_of(race.events[0], race.location),
                       position_of(race.events[1], race.location));
  }

  std::vector<Pair> pairs;  // in the order reported

 private:
  // The pieces of a split access share an index; the location tells them apart.
  Position position_of(const finding::EventRef& e, LocationId location) const {
    auto same = [&](const trace::Event& other) {
      return other.index == e.index && other.location() == location && is_access(other.kind);
    };
    const auto it = std::ranges::find_if(trace_.events, same);
    return static_cast<Position>(it - trace_.events.begin());
  }

  const trace::Trace& trace_;
};

template <class Detector>
std::vector<Pair> reported(const trace::Trace& trace, bool order_after_race) {
  Proposals proposals(trace);
  Detector detector(analysis::AnalysisOptions{.order_after_race = order_after_race}, proposals);
  auto& analysis = static_cast<analysis::Analysis&>(detector);
  do {
    analysis.on_events(trace.events);
    analysis.finish();
  } while (analysis.wants_another_pass());
  return std::move(proposals.pairs);
}

// False for traces with events whose constraints a reordering keeps and happens-before does not
// know; tests/oracle/races_vs_oracle_test.cc has an example of each.
inline bool happens_before_knows_all(const trace::Trace& trace) {
  return std::ranges::none_of(trace.events, [](const trace::Event& e) {
    switch (e.kind) {
      case trace::EventKind::TryFail:
      case trace::EventKind::TryFailShared:
      case trace::EventKind::Alloc:
        return true;
      case trace::EventKind::AtomicRead:
        return !trace::is_acquire(e.order);
      case trace::EventKind::AtomicWrite:
        return !trace::is_release(e.order);
      case trace::EventKind::AtomicRmw:
        return !trace::is_acquire(e.order) || !trace::is_release(e.order);
      default:
        return false;
    }
  });
}

// Of the races that end first, the shortest (PREDICT, appendix B).
template <class Detector>
std::optional<Pair> first_race(const trace::Trace& trace) {
  std::optional<Pair> first;
  for (const auto& [a, b] : reported<Detector>(trace, false)) {
    if (!first || b < first->second || (b == first->second && a > first->first)) first = {a, b};
  }
  return first;
}

}  // namespace foretell::oracle
