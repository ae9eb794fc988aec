#include "order/race_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "order/checker.h"
#include "order/needs.h"
#include "order/saturation.h"
#include "order/search.h"
#include "order/witness_cleanup.h"

namespace foretell {
namespace {

using Answer = std::optional<Judgement>;

// One question to the judge, passed from step to step until one answers.
class Case {
 public:
  Case(const TraceFacts& facts, const JudgeOptions& options, Position first, Position second)
      : facts_(facts),
        options_(options),
        first_(first),
        second_(second),
        needs_(facts, first, second) {}

  Judgement decide() {
    if (needs_.contradiction()) {
      return {JudgeOutcome::impossible, JudgeStep::needs, *needs_.contradiction()};
    }
    if (Answer answer = ambiguity(JudgeStep::needs)) return *answer;
    choose_limits();
    if (Answer answer = run_straight(JudgeStep::recorded)) return *answer;
    if (facts_.size() <= options_.exact_up_to) {
      if (Answer answer = saturate_and_run()) return *answer;
      return *search_everything(kNoBudget);
    }
    // In a long trace what has to be swapped mostly stands close to the race.
    constexpr size_t kLong = 10'000;
    if (needs_.count() > kLong) {
      if (Answer answer = search_window(kNear, options_.search_steps / 10)) return *answer;
    }
    if (Answer answer = saturate_and_run()) return *answer;
    for (size_t window : {kNear, kFar, facts_.size()}) {
      if (Answer answer = search_window(window, options_.search_steps)) return *answer;
    }
    // A trace longer than the budget cannot be searched to its end.
    if (facts_.size() <= options_.search_steps) {
      if (Answer answer = search_everything(options_.search_steps)) return *answer;
    }
    return {JudgeOutcome::gave_up, JudgeStep::search,
            fmt::format("found neither an interleaving nor a proof in {} steps", steps_)};
  }

 private:
  static constexpr size_t kNear = 200, kFar = 5'000;  // events

  // The needed events, with the recorded choices if these fit the race.
  void choose_limits() {
    Needs chosen = needs_;
    limits_ = chosen.add_recorded_choices() ? chosen.limits() : needs_.limits();
  }

  // Every witness would contain a read of which nobody knows what it read.
  Answer ambiguity(JudgeStep step) const {
    if (needs_.ambiguous() == kNoPosition) return {};
    const Event& read = facts_.event(needs_.ambiguous());
    return Judgement{
        JudgeOutcome::gave_up, step,
        fmt::format("the order of event {}, a read, and the writes that raced with it in a "
                    "--parallel recording is not known",
                    to_index(read.index))};
  }

  Answer run_straight(JudgeStep step) {
    return answer_of(step, run_in_recorded_order(facts_, {first_, second_, limits_, gate_}));
  }

  Answer saturate_and_run() {
    SaturationResult saturated = saturate(facts_, needs_);
    if (saturated.outcome == SaturationOutcome::impossible) {
      return Judgement{JudgeOutcome::impossible, JudgeStep::saturation, saturated.reason};
    }
    if (Answer answer = ambiguity(JudgeStep::saturation)) return answer;
    gate_ = std::move(saturated.gate);
    choose_limits();
    return run_straight(JudgeStep::saturation);
  }

  // Tries orders of the last needed events; those before them stay as recorded.
  Answer search_window(size_t window, uint64_t budget) {
    SearchSpace space{first_, second_, limits_, gate_, in_recorded_order(facts_, limits_)};
    const size_t in_window = std::min(window, space.start.size());
    if (in_window > budget || in_window <= searched_window_) return {};
    if (budget == options_.search_steps) searched_window_ = in_window;
    space.start.resize(space.start.size() - in_window);
    return answer_of(JudgeStep::search, search_race(facts_, space, budget));
  }

  Answer search_everything(uint64_t budget) {
    SearchSpace everything{first_, second_, {}};
    for (const auto& events : facts_.events_of) {
      everything.limits.push_back(static_cast<uint32_t>(events.size()));
    }
    for (Position p : {first_, second_}) {
      everything.limits[facts_.thread_index(p)] = facts_.step[p];
    }
    SearchResult result = search_race(facts_, everything, budget);
    if (result.outcome == SearchOutcome::exhausted && facts_.has_ambiguous_reads) {
      return Judgement{JudgeOutcome::gave_up, JudgeStep::search,
                       "no interleaving reaches it without a read whose order with the writes that "
                       "raced with it is not known (--parallel recording)"};
    }
    if (result.outcome == SearchOutcome::exhausted) {
      return Judgement{
          JudgeOutcome::impossible, JudgeStep::search,
          fmt::format("no interleaving reaches it (all were tried, {} steps)", result.steps)};
    }
    return answer_of(JudgeStep::search, std::move(result));
  }

  Answer answer_of(JudgeStep step, SearchResult result) {
    steps_ += result.steps;
    if (result.outcome != SearchOutcome::found) return {};
    result.order.push_back(first_);
    result.order.push_back(second_);
    CHECK(!check_race_witness(facts_, result.order));
    return Judgement{JudgeOutcome::witness, step, "an interleaving was found and checked",
                     clean_up_witness(facts_, std::move(result.order))};
  }

  const TraceFacts& facts_;
  const JudgeOptions& options_;
  const Position first_, second_;
  Needs needs_;
  std::vector<uint32_t> limits_;
  Gate gate_;                   // orders found by saturation
  size_t searched_window_ = 0;  // the longest one tried with the full budget
  uint64_t steps_ = 0;
};

}  // namespace

Judgement Judge::race(Position first, Position second) const {
  CHECK(first < facts_.size() && second < facts_.size());
  if (!clash(facts_.event(first), facts_.event(second))) {
    return {JudgeOutcome::impossible, JudgeStep::needs, "the two events do not clash"};
  }
  return Case(facts_, options_, first, second).decide();
}

Judgement judge_race(const Trace& trace, Position first, Position second,
                     const JudgeOptions& options) {
  return Judge(trace, options).race(first, second);
}

}  // namespace foretell
