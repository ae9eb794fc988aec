// SPDX-License-Identifier: Apache-2.0

// Consistent runs against brute force: a property is violated by some correct reordering if and
// only if the generator says so, and the run that it shows is one.

#include "analysis/property/consistent_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "judge/reordering.h"
#include "property.h"
#include "semantics.h"

namespace foretell::oracle {
namespace {

namespace language = property_language;
using analysis::kNoLetter;
using Answer = analysis::RunsOutcome::Answer;

// An automaton of a few states, any of which may be violated or no end.
language::Property random_property(Dice& dice) {
  const auto alphabet = std::make_shared<language::Alphabet>(std::vector<std::string>{"a", "b"});
  language::Automaton automaton;
  const uint32_t states = 2 + dice.below(4);
  for (uint32_t s = 0; s < states; ++s) {
    language::Automaton::State state;
    for (size_t letter = 0; letter < alphabet->size(); ++letter) {
      state.next.push_back(dice.below(states));
    }
    if (s + 1 == states) state.verdict = language::Verdict::violated;
    state.may_end = dice.one_in(2);
    automaton.states.push_back(std::move(state));
  }
  language::Property property{.name = "random", .alphabet = alphabet};
  property.automaton = std::make_shared<language::Automaton>(language::minimized(automaton));
  property.whole = dice.one_in(3);
  if (!property.whole) {
    language::Automaton free = automaton;
    for (auto& state : free.states) state.may_end = true;
    property.automaton = std::make_shared<language::Automaton>(language::minimized(free));
  }
  if (dice.one_in(3)) property.quantifier = language::Quantifier::some_run;
  if (dice.one_in(5)) {
    property.form = language::Form::atomic;
    property.begin = 1;
    property.end = 2;
  }
  return property;
}

// Which steps the property sees: some of any kind, or mostly user events and writes.
analysis::Letters random_letters(const trace::Trace& trace, Dice& dice) {
  analysis::Letters letters(trace.events.size(), kNoLetter);
  const uint32_t rarity = 1 + dice.below(4);
  for (auto& letter : letters) {
    if (dice.one_in(rarity)) letter = dice.below(2);
  }
  return letters;
}

struct Truth {
  bool violated = false;   // some run
  bool satisfied = false;  // some complete run
};

// Every correct reordering, with the monitor.
Truth by_brute_force(const Semantics& semantics, const language::Property& property,
                     const analysis::Letters& letters) {
  Truth truth;
  const auto monitor = property.monitor();
  std::set<std::pair<State, language::Monitor::State>> seen;
  std::function<void(const State&, language::Monitor::State)> go_on =
      [&](const State& state, language::Monitor::State watched) {
        if (!seen.emplace(state, watched).second) return;
        if (monitor->verdict(watched) == language::Verdict::violated) {
          truth.violated = true;
          return;
        }
        bool complete = true;
        for (uint32_t t = 0; t < semantics.thread_count(); ++t) {
          const auto p = semantics.next(state, ThreadId{t});
          if (!p) continue;
          complete = false;
          if (!semantics.enabled(state, *p)) continue;
          const auto after =
              letters[*p] == kNoLetter ? watched : monitor->next(watched, letters[*p], t);
          go_on(semantics.after(state, *p), after);
        }
        if (!complete) return;
        if (monitor->may_end(watched)) {
          truth.satisfied = true;
        } else if (property.whole) {
          truth.violated = true;
        }
      };
  go_on(semantics.initial(), monitor->initial());
  return truth;
}

std::string fault_of_run(const judge::TraceFacts& facts, const language::Property& property,
                         const analysis::Letters& letters, const analysis::RunsOutcome& outcome) {
  if (const auto wrong = judge::check_reordering(facts, {0, outcome.run})) {
    return fmt::format("the run is no correct reordering: step {}: {}", wrong->step, wrong->reason);
  }
  const auto monitor = property.monitor();
  auto state = monitor->initial();
  for (judge::Position p : outcome.run) {
    if (letters[p] == kNoLetter) continue;
    state = monitor->next(state, letters[p], static_cast<uint32_t>(facts.thread_index(p)));
  }
  if (monitor->verdict(state) == language::Verdict::violated) return "";
  if (outcome.at_end && !monitor->may_end(state) && outcome.run.size() == facts.size()) return "";
  return "the run does not violate the property";
}

std::string fault(const trace::Trace& trace, Dice& dice) {
  for (int i = 0; i < 4; ++i) {
    const auto demand = i % 2 == 0 ? trace::ReadDemand::same_writer : trace::ReadDemand::same_value;
    const Semantics semantics(trace, demand);
    const judge::TraceFacts facts(trace, {.demand = demand});
    const language::Property property = random_property(dice);
    const analysis::Letters letters = random_letters(trace, dice);
    std::vector<bool> visible;
    for (auto letter : letters) visible.push_back(letter != kNoLetter);
    const std::vector<bool> contended = analysis::contended_locations(facts);
    const analysis::RunModel model(facts, contended, visible,
                                   analysis::Causality::correct_reorderings);
    const auto outcome = check_all_runs(model, property, letters, {});
    if (outcome.answer == Answer::unknown) return "runs were left out";
    const Truth truth = by_brute_force(semantics, property, letters);
    const bool some = property.quantifier == language::Quantifier::some_run;
    const bool expected = some ? !truth.satisfied : truth.violated;
    if ((outcome.answer == Answer::violated) != expected) {
      return fmt::format("the generator says {}, brute force says {}{}",
                         outcome.answer == Answer::violated ? "violated" : "satisfied",
                         expected ? "violated" : "satisfied", some ? " (some run)" : "");
    }
    if (expected && !some) {
      const std::string wrong = fault_of_run(facts, property, letters, outcome);
      if (!wrong.empty()) return wrong;
    }
    // Of the orders that happen-before allows, none is more than a correct reordering.
    const analysis::RunModel ordered(facts, contended, visible,
                                     analysis::Causality::happens_before);
    const auto fewer = check_all_runs(ordered, property, letters, {});
    const bool comparable = demand == trace::ReadDemand::same_writer && !some;
    if (comparable && fewer.answer == Answer::violated) {
      if (!expected) return "a run of happens-before is no correct reordering";
      const std::string wrong = fault_of_run(facts, property, letters, fewer);
      if (!wrong.empty()) return "happens-before: " + wrong;
    }
  }
  return "";
}

TEST(ConsistentRuns, OfRacesAreAllCorrectReorderings) {
  expect_property("consistent_runs_race", race_profile(), {.traces = 400, .most_events = 12},
                  fault);
}
TEST(ConsistentRuns, OfLocksAreAllCorrectReorderings) {
  expect_property("consistent_runs_lock", lock_profile(), {.traces = 400, .most_events = 12},
                  fault);
}
TEST(ConsistentRuns, OfSynchronizationAreAllCorrectReorderings) {
  expect_property("consistent_runs_sync", sync_profile(), {.traces = 400, .most_events = 12},
                  fault);
}
TEST(ConsistentRuns, OfValuesAreAllCorrectReorderings) {
  expect_property("consistent_runs_value", value_profile(), {.traces = 400, .most_events = 12},
                  fault);
}
TEST(ConsistentRuns, OfEverythingAreAllCorrectReorderings) {
  expect_property("consistent_runs_all", everything_profile(), {.traces = 400, .most_events = 12},
                  fault);
}

}  // namespace
}  // namespace foretell::oracle
