#include "order/race_builder.h"

#include <fmt/format.h>

#include "base/check.h"
#include "order/checker.h"
#include "order/needs.h"
#include "order/saturation.h"
#include "order/search.h"
#include "order/witness_cleanup.h"

namespace foretell {
namespace {

// With the recorded choices if they fit the race, else without.
std::vector<uint32_t> limits_with_choices(const Needs& needs) {
  Needs chosen = needs;
  return chosen.add_recorded_choices() ? chosen.limits() : needs.limits();
}

}  // namespace

Judgement Judge::race(Position first, Position second) const {
  CHECK(first < facts_.size() && second < facts_.size());
  if (!clash(facts_.event(first), facts_.event(second))) {
    return {JudgeOutcome::impossible, JudgeStep::needs, "the two events do not clash"};
  }
  Needs needs(facts_, first, second);
  if (needs.contradiction()) {
    return {JudgeOutcome::impossible, JudgeStep::needs, *needs.contradiction()};
  }
  {
    Needs chosen = needs;
    if (chosen.add_recorded_choices()) {
      auto run = run_in_recorded_order(facts_, {first, second, chosen.limits()});
      if (run.outcome == SearchOutcome::found) {
        return proved(JudgeStep::recorded, std::move(run.order), first, second);
      }
    }
  }
  SaturationResult saturated = saturate(facts_, needs);
  if (saturated.outcome == SaturationOutcome::impossible) {
    return {JudgeOutcome::impossible, JudgeStep::saturation, saturated.reason};
  }
  if (saturated.outcome == SaturationOutcome::saturated) {
    const std::vector<uint32_t> limits = limits_with_choices(needs);
    auto run = run_in_recorded_order(facts_, {first, second, limits, saturated.gate});
    if (run.outcome == SearchOutcome::found) {
      return proved(JudgeStep::saturation, std::move(run.order), first, second);
    }
  }
  return search(needs, saturated, first, second);
}

Judgement Judge::search(const Needs& needs, const SaturationResult& saturated, Position first,
                        Position second) const {
  const bool small = facts_.size() <= options_.exact_up_to;
  uint64_t steps = 0;
  if (!small) {
    const std::vector<uint32_t> limits = limits_with_choices(needs);
    auto found = search_race(facts_, {first, second, limits, saturated.gate},
                             options_.search_steps + 2 * needs.count());
    if (found.outcome == SearchOutcome::found) {
      return proved(JudgeStep::search, std::move(found.order), first, second);
    }
    steps = found.steps;
  }
  // A trace longer than the budget cannot be searched to its end.
  if (small || facts_.size() <= options_.search_steps) {
    SearchSpace everything{first, second, {}};
    for (const auto& events : facts_.events_of) {
      everything.limits.push_back(static_cast<uint32_t>(events.size()));
    }
    for (Position p : {first, second}) everything.limits[facts_.thread_index(p)] = facts_.step[p];
    auto found = search_race(facts_, everything, small ? kNoBudget : options_.search_steps);
    if (found.outcome == SearchOutcome::found) {
      return proved(JudgeStep::search, std::move(found.order), first, second);
    }
    if (found.outcome == SearchOutcome::exhausted) {
      return {JudgeOutcome::impossible, JudgeStep::search,
              fmt::format("no interleaving reaches it (all were tried, {} steps)", found.steps)};
    }
    steps += found.steps;
  }
  return {JudgeOutcome::gave_up, JudgeStep::search,
          fmt::format("found neither an interleaving nor a proof in {} steps", steps)};
}

Judgement Judge::proved(JudgeStep step, Interleaving order, Position first, Position second) const {
  order.push_back(first);
  order.push_back(second);
  CHECK(!check_race_witness(facts_, order));
  order = clean_up_witness(facts_, std::move(order));
  CHECK(!check_race_witness(facts_, order));
  return {JudgeOutcome::witness, step, "an interleaving was found and checked", std::move(order)};
}

Judgement judge_race(const Trace& trace, Position first, Position second,
                     const JudgeOptions& options) {
  return Judge(trace, options).race(first, second);
}

}  // namespace foretell
