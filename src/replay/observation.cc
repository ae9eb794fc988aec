// SPDX-License-Identifier: Apache-2.0

#include "replay/observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/properties.h"
#include "replay/deadlock.h"

namespace foretell::replay {
namespace {

using Steps = std::vector<Expectation::Step>;

Observation expected(std::string text) {
  return {Observation::Kind::expected, std::move(text)};
}
Observation instead(std::string text) {
  return {Observation::Kind::nothing, std::move(text)};
}

Steps sorted_places(const std::vector<finding::DescribedEvent>& events) {
  Steps places;
  for (const finding::DescribedEvent& e : events) places.push_back({e.thread, e.site});
  std::ranges::sort(places);
  return places;
}

Result<Observation> observe_race(const Expectation& expectation, trace::TraceReader& replay,
                                 const ReplayedRun& run) {
  FORETELL_TRY(last, last_steps(replay, run.steps));
  if (!last) return Observation{};
  const Steps& seen = last->steps;
  if (last->clash && seen == expectation.steps) {
    return expected("both accesses were about to run at the same moment");
  }
  return instead(fmt::format("the last two steps were {} at {} and {} at {}", seen[0].thread,
                             seen[0].site, seen[1].thread, seen[1].site));
}

Result<Observation> observe_deadlock(const Expectation& expectation, trace::TraceReader& replay,
                                     const ReplayedRun& run) {
  if (!run.deadlocked) return Observation{};
  FORETELL_TRY(found, describe_deadlock(replay));
  Steps wanted = expectation.steps;
  std::ranges::sort(wanted);
  if (sorted_places(found.events) == wanted) {
    return expected(fmt::format("{} threads are blocked forever", found.events.size()));
  }
  FORETELL_TRY(stuck, describe_stuck(replay));
  if (!expectation.only_locks && std::ranges::includes(sorted_places(stuck), wanted)) {
    return expected(fmt::format("{} blocked forever",
                                wanted.size() == 1 ? std::string("a thread is")
                                                   : fmt::format("{} threads are", wanted.size())));
  }
  return Observation{Observation::Kind::another, "the program deadlocked, but at other places"};
}

Result<Observation> observe_atomicity(const Expectation& expectation, trace::TraceReader& replay) {
  FORETELL_TRY(seen, happened_in_order(replay, expectation.steps, expectation.block));
  return seen ? expected("the other thread came in between")
              : instead("the other thread did not come in between");
}

Result<Observation> observe_misuse(const Expectation& expectation, trace::TraceReader& replay) {
  FORETELL_TRY(seen, has_misuse(replay, expectation.misuse, expectation.steps[0]));
  return seen ? expected("it happened again") : instead("it did not happen again");
}

Result<Observation> observe_nondeterminism(const Expectation& expectation,
                                           trace::TraceReader& replay, const ReplayedRun& run) {
  FORETELL_TRY(seen, read_and_writer(replay, run.steps));
  if (!seen) return Observation{};
  const Steps& steps = seen->steps;
  const bool has_write = steps.size() > 1;
  if (steps == expectation.steps) {
    if (seen->value && seen->value == expectation.recorded_value &&
        seen->object == expectation.object) {
      return Observation{
          Observation::Kind::opposite,
          fmt::format("the read returned {} again", static_cast<int64_t>(*seen->value))};
    }
    return expected(has_write ? "the read returned what the other write wrote"
                              : "the read came before all writes");
  }
  std::string text = fmt::format("the last step was {} at {}", steps[0].thread, steps[0].site);
  if (has_write) {
    text += fmt::format(", which saw the write of {} at {}", steps[1].thread, steps[1].site);
  }
  return instead(std::move(text));
}

// The monitor decides about the run as it was replayed. Addresses may be others than when it was
// recorded, so another binding counts as well.
Result<Observation> observe_property(const Expectation& expectation, trace::TraceReader& replay) {
  FORETELL_TRY(violated, pipeline::violated_bindings(replay, expectation.specification));
  if (violated.empty()) return instead("the replayed run satisfies the property");
  if (std::ranges::find(violated, expectation.binding) != violated.end()) {
    return expected("the monitor of the property fails on the replayed run");
  }
  return expected(fmt::format("the monitor of the property fails on the replayed run, for {}",
                              violated.front()));
}

Observation observe_end(const Expectation& expectation, const ReplayedRun& run) {
  const bool crashed = run.end.kind == launch::EndKind::signalled;
  const bool failed = run.end.kind == launch::EndKind::exited && run.end.status != 0;
  const std::string text = "the program " + std::string(crashed ? "was " : "") + run.end.describe();
  if (expectation.object == kNoCrash && crashed) return expected(text);
  if (expectation.object == kExitStatus && failed) return expected(text);
  return instead(text);
}

}  // namespace

Result<Observation> observe(const Expectation& expectation, trace::TraceReader& replay,
                            const ReplayedRun& run) {
  switch (expectation.kind) {
    case finding::FindingKind::race:
    case finding::FindingKind::memory:
      return observe_race(expectation, replay, run);
    case finding::FindingKind::deadlock:
      return observe_deadlock(expectation, replay, run);
    case finding::FindingKind::atomicity:
      return observe_atomicity(expectation, replay);
    case finding::FindingKind::nondeterminism:
      return observe_nondeterminism(expectation, replay, run);
    case finding::FindingKind::misuse:
      return observe_misuse(expectation, replay);
    case finding::FindingKind::property:
      return expectation.specification.empty() ? observe_end(expectation, run)
                                               : observe_property(expectation, replay);
  }
  return Observation{};
}

}  // namespace foretell::replay
