// SPDX-License-Identifier: Apache-2.0

// The judge is never wrong on small traces, and never gives up on them: races, orders, other
// writes of a read, deadlocks.
#include "judge/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "judge/reordering.h"
#include "judge/smt_search.h"
#include "oracle.h"
#include "property.h"

namespace foretell::oracle {
namespace {

// What the oracle says of one goal.
struct Expected {
  bool possible;
  // Given the state a witness ends in, whether it reaches the goal.
  std::function<bool(const State&)> reached;
};

// How often each step gave each answer, so that a test can say that it was not about nothing.
using Tally = std::map<std::pair<judge::JudgeStep, judge::JudgeOutcome>, size_t>;

size_t witnesses(const Tally& tally) {
  size_t sum = 0;
  for (const auto& [answer, count] : tally) {
    if (answer.second == judge::JudgeOutcome::witness) sum += count;
  }
  return sum;
}

// Empty if the judge's answer is right; else what is wrong with it.
std::string fault_of(const judge::Judge& judge, const Semantics& semantics, const judge::Goal& goal,
                     const Expected& expected, Tally& tally) {
  judge::Judgement judgement = judge.decide(goal);
  ++tally[{judgement.step, judgement.outcome}];
  auto fault = [&](std::string_view text) {
    return fmt::format("{} of {}: {} ({})", goal.word(), fmt::join(goal.events, " "), text,
                       judgement.reason);
  };
  switch (judgement.outcome) {
    case judge::JudgeOutcome::gave_up:
      return fault("judge gave up");
    case judge::JudgeOutcome::impossible:
      return expected.possible ? fault("judge says impossible, oracle has a witness") : "";
    case judge::JudgeOutcome::witness:
      break;
  }
  if (!expected.possible) return fault("judge has a witness, oracle says impossible");
  const judge::Reordering shown = judge.minimized(goal, judgement.witness, judgement.reads);
  for (const judge::Reordering& witness : {judgement.witness, shown}) {
    Interleaving order = witness.written_out();
    const size_t stopped = goal.stopped().size();
    if (order.size() < stopped) return fault("witness too short");
    if (!std::ranges::is_permutation(std::span(order).last(stopped), goal.stopped())) {
      return fault("witness ends with other events");
    }
    order.resize(order.size() - stopped);
    if (semantics.first_wrong_step(order)) return fault("witness is no reordering");
    State state = semantics.initial();
    for (Position p : order) state = semantics.after(state, p);
    if (!expected.reached(state)) return fault("witness does not reach the goal");
    size_t next = 0;
    for (Position p : order) {
      if (next < goal.happening().size() && p == goal.happening()[next]) ++next;
    }
    if (goal.kind == judge::GoalKind::order && next < goal.happening().size()) {
      return fault("witness has the events in another order");
    }
  }
  return "";
}

std::string races_agree(const trace::Trace& trace, const judge::JudgeOptions& options,
                        Tally& tally) {
  const Oracle oracle(trace, options.reads.demand);
  const std::set<Pair> races = oracle.races();
  const judge::Judge judge(trace, options);
  for (Position a = 0; a < trace.events.size(); ++a) {
    for (Position b = a + 1; b < trace.events.size(); ++b) {
      if (!clash(trace.events[a], trace.events[b])) continue;
      auto reached = [&](const State& state) { return races_in(oracle.semantics(), state, a, b); };
      std::string fault = fault_of(judge, oracle.semantics(), judge::Goal::race(a, b),
                                   {races.contains({a, b}), reached}, tally);
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

// Every pair of acquires, right or wrong.
std::string meetings_agree(const trace::Trace& trace, const judge::JudgeOptions& options,
                           Tally& tally) {
  const Oracle oracle(trace, options.reads.demand);
  const Truth truth = oracle.schedules();
  const judge::Judge judge(trace, options);
  for (Position a = 0; a < trace.events.size(); ++a) {
    for (Position b = a + 1; b < trace.events.size(); ++b) {
      if (!begins_section(trace.events[a].kind) || !begins_section(trace.events[b].kind)) continue;
      auto reached = [&](const State& state) { return meets_in(oracle.semantics(), state, a, b); };
      std::string fault = fault_of(judge, oracle.semantics(), judge::Goal::meeting(a, b),
                                   {truth.meetings.contains({a, b}), reached}, tally);
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

// Every set of up to four events that may have to wait, right or wrong.
std::string deadlocks_agree(const trace::Trace& trace, const judge::JudgeOptions& options,
                            Tally& tally) {
  const Oracle oracle(trace, options.reads.demand);
  const Truth truth = oracle.schedules();
  const judge::Judge judge(trace, options);
  std::vector<std::vector<Position>> sets = {{}};
  for (Position p = 0; p < trace.events.size(); ++p) {
    const trace::EventKind kind = trace.events[p].kind;
    const bool waits = begins_section(kind) || kind == trace::EventKind::Join ||
                       kind == trace::EventKind::SemaphoreWait ||
                       kind == trace::EventKind::BarrierExit;
    if (!waits) continue;
    for (size_t i = 0, count = sets.size(); i < count; ++i) {
      if (sets[i].size() == 4) continue;
      sets.push_back(sets[i]);
      sets.back().push_back(p);
    }
  }
  for (std::vector<Position>& set : sets) {
    if (set.empty()) continue;
    const bool possible = truth.deadlocks.contains(set);
    auto reached = [&](const State& state) {
      for (std::vector<Position>& found : deadlocks_in(oracle.semantics(), state)) {
        if (found == set) return true;
      }
      return false;
    };
    std::string fault =
        fault_of(judge, oracle.semantics(), judge::Goal::deadlock(set), {possible, reached}, tally);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string other_writes_agree(const trace::Trace& trace, const judge::JudgeOptions& options,
                               Tally& tally) {
  const Oracle oracle(trace, options.reads.demand);
  const Truth truth = oracle.schedules();
  const judge::Judge judge(trace, options);
  for (Position read = 0; read < trace.events.size(); ++read) {
    if (!is_read(trace.events[read].kind)) continue;
    const auto found = truth.other_writers.find(read);
    const auto writers =
        found == truth.other_writers.end() ? std::set<std::optional<Position>>{} : found->second;
    auto sees_another = [&](const State& state) {
      return other_writer_in(oracle.semantics(), state, read).has_value();
    };
    std::string fault = fault_of(judge, oracle.semantics(), judge::Goal::read_another(read),
                                 {!writers.empty(), sees_another}, tally);
    if (!fault.empty()) return fault;
    for (Position writer = 0; writer <= trace.events.size(); ++writer) {
      const bool initial = writer == trace.events.size();
      const auto wanted = initial ? std::nullopt : std::optional(writer);
      if (!initial && (!is_write(trace.events[writer].kind) ||
                       trace.events[writer].location() != trace.events[read].location())) {
        continue;
      }
      if (wanted == oracle.semantics().writer_in_trace(read)) continue;
      auto sees_it = [&](const State& state) {
        const auto seen = other_writer_in(oracle.semantics(), state, read);
        return seen && *seen == wanted;
      };
      fault = fault_of(judge, oracle.semantics(),
                       judge::Goal::read_given(read, initial ? judge::kNoPosition : writer),
                       {writers.contains(wanted), sees_it}, tally);
      if (!fault.empty()) return fmt::format("write {}: {}", writer, fault);
    }
  }
  return "";
}

// Orders that some reordering has: all sequences of up to three events in it.
class Orders final : public Visitor {
 public:
  explicit Orders(std::vector<std::vector<Position>> wanted) : wanted_(std::move(wanted)) {}

  void visit(const State&, std::span<const Position> path) override {
    for (const auto& events : wanted_) {
      size_t next = 0;
      for (Position p : path) {
        if (next < events.size() && p == events[next]) ++next;
      }
      if (next == events.size()) found.insert(events);
    }
  }

  std::set<std::vector<Position>> found;

 private:
  std::vector<std::vector<Position>> wanted_;
};

// Some pairs and triples of events. All interleavings are looked at, not only all states: states
// forget in which order they were reached.
std::string orders_agree(const trace::Trace& trace, Dice& dice, const judge::JudgeOptions& options,
                         Tally& tally) {
  const Semantics semantics(trace, options.reads.demand);
  const judge::Judge judge(trace, options);
  const auto size = static_cast<uint32_t>(trace.events.size());
  std::vector<std::vector<Position>> wanted;
  for (int i = 0; i < 12; ++i) {
    std::vector<Position> events;
    for (uint32_t n = 2 + dice.below(2); events.size() < n;) events.push_back(dice.below(size));
    wanted.push_back(std::move(events));
  }
  Orders orders(wanted);
  for_each_reordering(semantics,
                      [&](std::span<const Position> path) { orders.visit(State{}, path); });
  for (const auto& events : wanted) {
    std::string fault =
        fault_of(judge, semantics, judge::Goal::order(events),
                 {orders.found.contains(events), [](const State&) { return true; }}, tally);
    if (!fault.empty()) return fault;
  }
  return "";
}

class JudgeVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(JudgeVsOracle, EveryClashingPairIsJudgedRight) {
  Tally tally;
  expect_property("judge", GetParam(), {.traces = 2000, .most_events = 14},
                  [&](const trace::Trace& trace, Dice&) { return races_agree(trace, {}, tally); });
  EXPECT_GT(witnesses(tally), 0u);
}

TEST_P(JudgeVsOracle, EveryMeetingOfAcquiresIsJudgedRight) {
  Tally tally;
  expect_property(
      "judge-meeting", GetParam(), {.traces = 2000, .most_events = 14},
      [&](const trace::Trace& trace, Dice&) { return meetings_agree(trace, {}, tally); });
  if (GetParam().name == "locks") EXPECT_GT(witnesses(tally), 0u);
}

TEST_P(JudgeVsOracle, EverySetOfWaitsIsJudgedRight) {
  Tally tally;
  expect_property(
      "judge-deadlock", GetParam(), {.traces = 2000, .most_events = 14},
      [&](const trace::Trace& trace, Dice&) { return deadlocks_agree(trace, {}, tally); });
  if (GetParam().name == "locks") EXPECT_GT(witnesses(tally), 0u);
}

TEST_P(JudgeVsOracle, EveryOtherWriteOfAReadIsJudgedRight) {
  Tally tally;
  expect_property(
      "judge-read", GetParam(), {.traces = 2000, .most_events = 14},
      [&](const trace::Trace& trace, Dice&) { return other_writes_agree(trace, {}, tally); });
  EXPECT_GT(witnesses(tally), 0u);
}

TEST_P(JudgeVsOracle, OrdersOfEventsAreJudgedRight) {
  Tally tally;
  expect_property(
      "judge-order", GetParam(), {.traces = 1000, .most_events = 8},
      [&](const trace::Trace& trace, Dice& dice) { return orders_agree(trace, dice, {}, tally); });
  EXPECT_GT(witnesses(tally), 0u);
}

// As in a long trace: windows, saturation and the bounded search answer, not the exhaustive one.
TEST_P(JudgeVsOracle, BoundedStepsAreRight) {
  Tally tally;
  const judge::JudgeOptions bounded{.exact_up_to = 0};
  expect_property("judge-bounded", GetParam(), {.traces = 1000, .most_events = 14},
                  [&](const trace::Trace& trace, Dice&) {
                    std::string fault = races_agree(trace, bounded, tally);
                    if (fault.empty()) fault = meetings_agree(trace, bounded, tally);
                    if (fault.empty()) fault = deadlocks_agree(trace, bounded, tally);
                    return fault.empty() ? other_writes_agree(trace, bounded, tally) : fault;
                  });
  EXPECT_GT(witnesses(tally), 0u);
}

std::string agrees_under(trace::ReadDemand demand, size_t exact_up_to, const trace::Trace& trace,
                         Dice& dice, Tally& tally) {
  const judge::JudgeOptions options{.exact_up_to = exact_up_to, .reads = {.demand = demand}};
  std::string fault = races_agree(trace, options, tally);
  if (fault.empty()) fault = meetings_agree(trace, options, tally);
  if (fault.empty()) fault = deadlocks_agree(trace, options, tally);
  if (fault.empty()) fault = other_writes_agree(trace, options, tally);
  if (fault.empty() && trace.events.size() <= 8) fault = orders_agree(trace, dice, options, tally);
  return fault;
}

// The weaker demands on reads, exactly and as in a long trace.
class ReadDemands : public testing::TestWithParam<Profile> {};

TEST_P(ReadDemands, EveryGoalIsJudgedRight) {
  for (const trace::ReadDemand demand : {trace::ReadDemand::same_value, trace::ReadDemand::free}) {
    for (const size_t exact_up_to : {16, 0}) {
      Tally tally;
      expect_property("judge-" + std::string(word_of(demand)), GetParam(),
                      {.traces = 300, .most_events = 14},
                      [&](const trace::Trace& trace, Dice& dice) {
                        return agrees_under(demand, exact_up_to, trace, dice, tally);
                      });
      EXPECT_GT(witnesses(tally), 0u);
    }
  }
}

// The demands are different, and each allows what the stricter one does.
TEST(ReadDemandsDiffer, ValuesAllowMoreRacesThanWritersAndFreedomAllowsMoreThanValues) {
  size_t by_writer = 0, by_value = 0, free = 0;
  expect_property("demands", value_profile(), {.traces = 400, .most_events = 14},
                  [&](const trace::Trace& trace, Dice&) -> std::string {
                    const auto strict = Oracle(trace).races();
                    const auto same = Oracle(trace, trace::ReadDemand::same_value).races();
                    const auto loose = Oracle(trace, trace::ReadDemand::free).races();
                    by_writer += strict.size();
                    by_value += same.size();
                    free += loose.size();
                    const bool nested =
                        std::ranges::includes(same, strict) && std::ranges::includes(loose, strict);
                    return nested ? "" : "a race is lost by asking for less";
                  });
  EXPECT_LT(by_writer, by_value);
  EXPECT_LT(by_value, free);
}

std::vector<Profile> profiles_with_values() {
  std::vector<Profile> profiles = {value_profile()};
  for (Profile profile : {lock_profile(), everything_profile()}) {
    profile.values = true;
    profiles.push_back(profile);
  }
  return profiles;
}

INSTANTIATE_TEST_SUITE_P(Profiles, ReadDemands, testing::ValuesIn(profiles_with_values()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// With no search at all the solver has to decide what the cheap steps leave.
TEST_P(JudgeVsOracle, TheSolverIsRight) {
  Tally tally;
  const judge::JudgeOptions solver{.search_steps = 0, .exact_up_to = 0, .smt = true};
  expect_property("judge-smt", GetParam(), {.traces = 300, .most_events = 14},
                  [&](const trace::Trace& trace, Dice&) {
                    std::string fault = races_agree(trace, solver, tally);
                    if (fault.empty()) fault = meetings_agree(trace, solver, tally);
                    if (fault.empty()) fault = deadlocks_agree(trace, solver, tally);
                    return fault.empty() ? other_writes_agree(trace, solver, tally) : fault;
                  });
  expect_property("judge-smt-order", GetParam(), {.traces = 300, .most_events = 8},
                  [&](const trace::Trace& trace, Dice& dice) {
                    return orders_agree(trace, dice, solver, tally);
                  });
  size_t by_solver = 0;
  for (const auto& [answer, count] : tally) {
    if (answer.first == judge::JudgeStep::smt) by_solver += count;
  }
  EXPECT_GT(by_solver, 0u);
}

// The solver's own answer to every race, every meeting and every deadlock of two, asked before any
// other step; once on the whole trace, where both answers are final, and once behind a recorded
// part.
std::string solver_agrees(const trace::Trace& trace, Dice& dice) {
  constexpr uint32_t kEffort = 20'000'000;
  const Oracle oracle(trace);
  const Truth truth = oracle.schedules();
  const judge::TraceFacts facts(trace);
  for (Position a = 0; a < facts.size(); ++a) {
    for (Position b = a + 1; b < facts.size(); ++b) {
      for (judge::Goal goal :
           {judge::Goal::race(a, b), judge::Goal::meeting(a, b), judge::Goal::deadlock({a, b})}) {
        if (!settle_goal(facts, goal).empty()) continue;
        const bool possible = goal.kind == judge::GoalKind::race ? truth.races.contains({a, b})
                              : goal.kind == judge::GoalKind::meeting
                                  ? truth.meetings.contains({a, b})
                                  : truth.deadlocks.contains({a, b});
        const judge::Needs needs(facts, goal);
        if (needs.contradiction()) continue;
        auto asked = [&](const judge::Window& window) {
          judge::SearchResult result = smt_search(facts, goal, needs, window, kEffort);
          judge::Reordering order{window.from, std::move(result.order)};
          order.steps.insert(order.steps.end(), goal.stopped().begin(), goal.stopped().end());
          const bool wrong =
              result.outcome == judge::SearchOutcome::found && check_witness(facts, goal, order);
          return wrong ? judge::SearchOutcome::budget_spent : result.outcome;
        };
        const judge::SearchOutcome whole = asked(whole_trace(facts, needs));
        if (whole != (possible ? judge::SearchOutcome::found : judge::SearchOutcome::exhausted)) {
          return fmt::format("{} of {} and {}: solver has outcome {}, oracle says {}", goal.word(),
                             a, b, static_cast<int>(whole), possible);
        }
        const auto late = open_window(facts, needs, dice.below(a + 1));
        if (late && asked(*late) == judge::SearchOutcome::budget_spent) {
          return fmt::format("{} of {} and {} behind event {}: no answer, or a wrong one",
                             goal.word(), a, b, late->from);
        }
      }
    }
  }
  return "";
}

TEST_P(JudgeVsOracle, TheSolverAloneIsRight) {
  expect_property("smt", GetParam(), {.traces = 40, .most_events = 14}, solver_agrees);
}

INSTANTIATE_TEST_SUITE_P(Profiles, JudgeVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
