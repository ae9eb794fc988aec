// What an analysis proposes on a trace, as positions, after as many passes as it asks for.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/analysis.h"
#include "oracle.h"

namespace foretell::oracle {

class PairSink final : public ProposalSink {
 public:
  explicit PairSink(const Trace& trace) : trace_(trace) {}
  void propose(const RaceProposal& race) override {
    pairs.emplace_back(position_of(race.first, race.location),
                       position_of(race.second, race.location));
  }

  std::vector<Pair> pairs;  // in the order proposed

 private:
  // The pieces of a split access share an index; the location tells them apart.
  Position position_of(const EventRef& e, LocationId location) const {
    const auto it = std::ranges::find_if(trace_.events, [&](const Event& other) {
      return other.index == e.index && is_access(other.kind) && other.location() == location;
    });
    return static_cast<Position>(it - trace_.events.begin());
  }

  const Trace& trace_;
};

// `more` are further arguments of the constructor.
template <class Detector, class... More>
std::vector<Pair> proposed_pairs(const Trace& trace, const More&... more) {
  PairSink sink(trace);
  AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return trace.cells[id].alloc; };
  Detector detector(options, sink, more...);
  do {
    detector.on_events(trace.events);
    detector.finish();
  } while (detector.wants_another_pass());
  return std::move(sink.pairs);
}

}  // namespace foretell::oracle
