// SPDX-License-Identifier: Apache-2.0

#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/check.h"
#include "judge/needs.h"
#include "judge/reordering.h"
#include "judge/saturation.h"
#include "judge/search.h"
#include "judge/smt_search.h"
#include "judge/window.h"
#include "judge/witness_cleanup.h"

namespace foretell::judge {
namespace {

using Answer = std::optional<Judgement>;

// One question to the judge, passed from step to step until one answers.
class Case {
 public:
  Case(const TraceFacts& facts, const JudgeOptions& options, const Goal& goal)
      : facts_(facts), options_(options), goal_(goal), needs_(facts, goal) {
    for (auto [before, after] : orders_of(facts, goal)) goal_gate_[after].push_back(before);
    gate_ = goal_gate_;
  }

  Judgement decide() {
    if (needs_.contradiction()) {
      return {JudgeOutcome::impossible, JudgeStep::needs, *needs_.contradiction()};
    }
    if (Answer answer = ambiguity(JudgeStep::needs)) return *answer;
    find_latest_start();
    const Position before_held = start_before_held_sections();
    if (Answer answer = run_recorded(latest_start_)) return *answer;
    if (Answer answer = run_recorded(before_held)) return *answer;
    if (needs_.count() <= kMiddling) {
      if (Answer answer = run_recorded(facts_.begins_at)) return *answer;
    }
    if (facts_.size() <= options_.exact_up_to) {
      if (Answer answer = saturate_and_run(facts_.begins_at)) return *answer;
      return *search_everything(kNoBudget);
    }
    // In a long trace what has to be swapped mostly stands close to the goal.
    const Position near = whole_access(earlier(before_held, kNear));
    const Position far = whole_access(earlier(before_held, kFar));
    if (Answer answer = saturate_and_run(near)) return *answer;
    if (Answer answer = search_window(near, options_.search_steps / 10)) return *answer;
    if (Answer answer = saturate_and_run(far)) return *answer;
    if (needs_.count() <= kMiddling) {
      if (Answer answer = saturate_and_run(facts_.begins_at)) return *answer;
    }
    if (Answer answer = search_window(far, options_.search_steps * 3 / 10)) return *answer;
    if (Answer answer = search_window(facts_.begins_at, options_.search_steps * 3 / 10))
      return *answer;
    // A trace longer than the budget cannot be searched to its end.
    if (facts_.size() <= options_.search_steps) {
      if (Answer answer = search_everything(options_.search_steps * 3 / 10)) return *answer;
    }
    // The clauses know one writer for each read.
    if (options_.smt && !facts_.values.is_any_flexible()) {
      if (Answer answer = ask_solver({near, far})) return *answer;
    }
    return {JudgeOutcome::gave_up, JudgeStep::search,
            fmt::format("found neither an interleaving nor a proof in {} steps", steps_)};
  }

 private:
  static constexpr Position kNear = 200, kFar = 5'000;  // events
  static constexpr size_t kMiddling = 20'000;           // needed events worth a look at all of them

  static Position earlier(Position p, Position by) { return p > by ? p - by : 0; }

  // A window cannot begin inside an access that was split into pieces: a schedule would have to
  // take the access apart. Nor can it begin before an excerpt does.
  Position whole_access(Position p) const {
    while (p > 0 && p < facts_.size() && facts_.event(p).index == facts_.event(p - 1).index) --p;
    return std::max(p, facts_.begins_at);
  }

  // The recorded run up to here does nothing that the goal excludes.
  void find_latest_start() {
    latest_start_ = facts_.sound_until;
    auto not_after = [&](Position p) { latest_start_ = std::min(latest_start_, p); };
    for (Position p : goal_.stopped()) not_after(p);
    for (auto [before, after] : orders_of(facts_, goal_)) {
      if (before > after) not_after(after);
    }
    if (goal_.kind == GoalKind::order) {
      not_after(goal_.events.back());
      Position latest = 0;
      for (Position p : goal_.happening()) {
        if (p < latest) not_after(p);
        latest = std::max(latest, p);
      }
      if (goal_.stops_at_read() && goal_.writer < latest_start_) {
        // No other write may have followed the one to be read.
        for (Position write : facts_.writes_of(facts_.event(goal_.events.back()).location())) {
          if (write > goal_.writer) not_after(write);
        }
      } else if (goal_.stops_at_read() && goal_.writer == kNoPosition) {
        const auto writes = facts_.writes_of(facts_.event(goal_.events.back()).location());
        if (!writes.empty()) not_after(writes.front());
      }
    }
    latest_start_ = whole_access(latest_start_);
  }

  // What the stopped threads hold may be wanted before.
  Position start_before_held_sections() const {
    Position start = latest_start_;
    for (Position begin : needs_.held()) start = std::min(start, begin);
    return whole_access(start);
  }

  // Every witness would contain a read of which nobody knows what it read.
  Answer ambiguity(JudgeStep step) const {
    if (needs_.ambiguous() == kNoPosition) return {};
    const trace::Event& read = facts_.event(needs_.ambiguous());
    return Judgement{
        JudgeOutcome::gave_up, step,
        fmt::format("the order of event {}, a read, and the writes that raced with it in a "
                    "--parallel recording is not known",
                    to_index(read.index))};
  }

  Answer run_recorded(Position from) {
    if (from == last_recorded_) return {};
    last_recorded_ = from;
    const std::optional<Window> window = open_window(facts_, needs_, from);
    if (!window) return {};
    // Mostly this is a witness, and asking the checker is the fastest way to know.
    Reordering straight = finished({from, in_recorded_order(facts_, *window)});
    steps_ += straight.steps.size();
    if (!check_witness(facts_, goal_, straight)) return witness(JudgeStep::recorded, straight);
    return run_straight(JudgeStep::recorded, *window);
  }

  Answer run_straight(JudgeStep step, const Window& window) {
    return answer_of(step, window, run_in_recorded_order(facts_, {goal_, window, gate_}));
  }

  Answer saturate_and_run(Position from) {
    SaturationResult saturated = saturate(facts_, goal_, needs_, from);
    if (saturated.outcome == SaturationOutcome::impossible) {
      return Judgement{JudgeOutcome::impossible, JudgeStep::saturation, saturated.reason};
    }
    if (Answer answer = ambiguity(JudgeStep::saturation)) return answer;
    if (saturated.outcome == SaturationOutcome::too_large) return {};
    gate_ = std::move(saturated.gate);
    for (auto& [after, befores] : goal_gate_) {
      gate_[after].insert(gate_[after].end(), befores.begin(), befores.end());
    }
    const std::optional<Window> window = open_window(facts_, needs_, from);
    return window ? run_straight(JudgeStep::saturation, *window) : Answer{};
  }

  // Tries orders of the last needed events; those before them stay as recorded.
  Answer search_window(Position from, uint64_t budget) {
    const std::optional<Window> window = open_window(facts_, needs_, from);
    if (!window || window->size() > budget) return {};
    return answer_of(JudgeStep::search, *window, search(facts_, {goal_, *window, gate_}, budget));
  }

  Answer search_everything(uint64_t budget) {
    const Window everything = whole_trace(facts_, needs_);
    SearchResult result = search(facts_, {goal_, everything, goal_gate_}, budget);
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
    return answer_of(JudgeStep::search, everything, std::move(result));
  }

  // The whole trace if it is short: then the answer is final. Else windows, while they are short.
  Answer ask_solver(std::initializer_list<Position> starts) {
    constexpr size_t kMostEvents = 1500;
    if (facts_.size() <= kMostEvents) {
      const Window everything = whole_trace(facts_, needs_);
      SearchResult result = smt_search(facts_, goal_, needs_, everything, options_.smt_effort);
      if (result.outcome == SearchOutcome::exhausted && !facts_.has_ambiguous_reads) {
        return Judgement{JudgeOutcome::impossible, JudgeStep::smt,
                         "no interleaving reaches it (the SMT solver has refuted all)"};
      }
      return answer_of(JudgeStep::smt, everything, std::move(result));
    }
    for (Position from : starts) {
      const std::optional<Window> window = open_window(facts_, needs_, from);
      if (!window || window->size() > kMostEvents) continue;
      SearchResult result = smt_search(facts_, goal_, needs_, *window, options_.smt_effort);
      if (Answer answer = answer_of(JudgeStep::smt, *window, std::move(result))) return answer;
    }
    return {};
  }

  // Adds the stopped events; drops what happens after the last event of an order.
  Reordering finished(Reordering order) const {
    const std::span<const Position> stopped = goal_.stopped();
    if (stopped.empty()) {
      const auto last = std::ranges::find(order.steps, goal_.events.back());
      if (last != order.steps.end()) order.steps.erase(std::next(last), order.steps.end());
    }
    order.steps.insert(order.steps.end(), stopped.begin(), stopped.end());
    return order;
  }

  Answer answer_of(JudgeStep step, const Window& window, SearchResult result) {
    steps_ += result.steps;
    if (result.outcome != SearchOutcome::found) return {};
    Reordering order = finished({window.from, std::move(result.order)});
    const auto violation = check_witness(facts_, goal_, order);
    CHECK(!violation);
    return witness(step, std::move(order));
  }

  static Answer witness(JudgeStep step, Reordering checked) {
    return Judgement{JudgeOutcome::witness, step, "an interleaving was found and checked",
                     std::move(checked)};
  }

  const TraceFacts& facts_;
  const JudgeOptions& options_;
  const Goal& goal_;
  Needs needs_;
  Gate goal_gate_;  // orders that the goal states
  Gate gate_;       // these and orders found by saturation
  Position latest_start_ = 0;
  Position last_recorded_ = kNoPosition;
  uint64_t steps_ = 0;
};

}  // namespace

// All that is asked of one demand on reads.
class Judge::Questions {
 public:
  Questions(const TraceFacts& facts, const JudgeOptions& options)
      : facts_(facts), options_(options) {}

  Judgement decide(Goal goal) const;

 private:
  Judgement decide_settled(const Goal& goal) const;
  Judgement decide_another_write(const Goal& goal) const;

  const TraceFacts& facts_;
  const JudgeOptions& options_;
};

Judgement Judge::decide(Goal goal) const {
  Judgement judgement = Questions(facts_, options_).decide(goal);
  const bool weaker_helps = judgement.outcome == JudgeOutcome::impossible &&
                            options_.reads.demand != trace::ReadDemand::same_writer &&
                            !facts_.is_excerpt();
  if (weaker_helps && facts(options_.reads.demand).values.is_any_flexible()) {
    Judgement weaker = Questions(facts(options_.reads.demand), options_).decide(std::move(goal));
    weaker.reads = options_.reads.demand;
    if (weaker.outcome != JudgeOutcome::impossible) return weaker;
  }
  if (facts_.is_excerpt() && judgement.outcome == JudgeOutcome::impossible) {
    judgement.outcome = JudgeOutcome::gave_up;
    judgement.reason =
        "no interleaving of the events around it reaches it, and the trace is too "
        "long to try others";
  }
  return judgement;
}

const TraceFacts& Judge::facts(trace::ReadDemand reads) const {
  if (reads == trace::ReadDemand::same_writer) return facts_;
  CHECK(reads == options_.reads.demand);
  std::call_once(weaker_made_,
                 [&] { weaker_ = std::make_unique<TraceFacts>(facts_.trace, options_.reads); });
  return *weaker_;
}

Judgement Judge::Questions::decide(Goal goal) const {
  for (Position p : goal.events) CHECK(p < facts_.size());
  std::string reason;
  const std::vector<Goal> choices = settled_choices(facts_, std::move(goal), reason);
  if (choices.empty()) return {JudgeOutcome::impossible, JudgeStep::needs, std::move(reason)};
  Judgement judgement;
  for (const Goal& choice : choices) {
    Judgement of_choice = decide_settled(choice);
    const bool found = of_choice.outcome == JudgeOutcome::witness;
    if (&choice == &choices.front() || found || of_choice.outcome == JudgeOutcome::gave_up) {
      judgement = std::move(of_choice);
      judgement.goal = choice;
    }
    if (found) break;
  }
  return judgement;
}

Judgement Judge::Questions::decide_settled(const Goal& goal) const {
  if (goal.stops_at_read() && facts_.event(goal.events.back()).is_ambiguous()) {
    return {JudgeOutcome::gave_up, JudgeStep::needs,
            "which write the read returned in the trace is not known"};
  }
  if (goal.last_read == LastRead::another) return decide_another_write(goal);
  return Case(facts_, options_, goal).decide();
}

// Another write is one of the others: the nearest are the likeliest.
Judgement Judge::Questions::decide_another_write(const Goal& goal) const {
  constexpr size_t kMostWrites = 32;
  const Position read = goal.events.back(), recorded = facts_.partner[read];
  const std::span<const Position> all = facts_.writes_of(facts_.event(read).location());
  std::vector<Position> writes(all.begin(), all.end());
  std::erase_if(writes, [&](Position p) { return p == recorded || p == read; });
  auto distance = [&](Position p) { return std::pair(p < read ? read - p : p - read, p); };
  std::ranges::sort(writes, {}, distance);
  const bool all_tried = writes.size() <= kMostWrites;
  if (!all_tried) writes.resize(kMostWrites);
  if (recorded != kNoPosition) writes.push_back(kNoPosition);

  Judgement last{JudgeOutcome::impossible, JudgeStep::needs, "there is no other write to return"};
  bool refuted = all_tried;
  for (Position writer : writes) {
    Goal given = goal;
    given.last_read = LastRead::given;
    given.writer = writer;
    Judgement judgement = Case(facts_, options_, given).decide();
    if (judgement.outcome == JudgeOutcome::witness) return judgement;
    if (judgement.outcome == JudgeOutcome::gave_up) refuted = false;
    last = std::move(judgement);
  }
  if (refuted) return {JudgeOutcome::impossible, last.step, "no other write can be the last one"};
  return {JudgeOutcome::gave_up, last.step, "not every other write could be refuted"};
}

Reordering Judge::minimized(Goal goal, Reordering witness, trace::ReadDemand reads) const {
  const TraceFacts& facts = this->facts(reads);
  std::string reason;
  for (const Goal& choice : settled_choices(facts, std::move(goal), reason)) {
    if (check_witness(facts, choice, witness)) continue;
    return clean_up_witness(facts, choice, std::move(witness));
  }
  CHECK(false && "a witness of its goal");
  return witness;
}

Judgement judge(const trace::Trace& trace, const Goal& goal, const JudgeOptions& options) {
  const Judge judge(trace, options);
  Judgement judgement = judge.decide(goal);
  if (judgement.outcome == JudgeOutcome::witness) {
    judgement.witness = judge.minimized(goal, std::move(judgement.witness), judgement.reads);
  }
  return judgement;
}

Judgement judge_race(const trace::Trace& trace, Position first, Position second,
                     const JudgeOptions& options) {
  return judge(trace, Goal::race(first, second), options);
}

}  // namespace foretell::judge
