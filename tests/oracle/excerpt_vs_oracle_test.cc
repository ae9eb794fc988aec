// SPDX-License-Identifier: Apache-2.0

// An excerpt of a trace says of a reordering what the oracle says of it in the whole trace; what
// the judge finds in an excerpt is a witness of the whole trace; and so is what the pipeline
// reports of a trace that it does not load.
#include "judge/excerpt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "judge/judge.h"
#include "judge/reordering.h"
#include "oracle.h"
#include "pipeline/driver.h"
#include "property.h"
#include "trace/tiddle/tiddle_reader.h"
#include "unit/judge/excerpts.h"

namespace foretell::oracle {
namespace {

judge::Stretch any_stretch(const trace::Trace& trace, Dice& dice) {
  const uint64_t end = to_index(trace.events.back().index) + 1;
  const uint64_t from = dice.below(end);
  return {EventIndex{from}, EventIndex{from + dice.below(end - from)}};
}

size_t allowed = 0, refused = 0;

// Walks at random from the beginning of a stretch, with steps that are enabled and steps that are
// not; the checker must tell them apart by the excerpt as the oracle does by the trace.
std::string excerpt_agrees(const trace::Trace& trace, Dice& dice) {
  const Semantics semantics(trace);
  for (int repetition = 0; repetition < 4; ++repetition) {
    const judge::Stretch stretch = any_stretch(trace, dice);
    const std::optional<judge::Excerpt> excerpt = excerpt_of(trace, stretch);
    if (!excerpt || excerpt->begin == excerpt->end) continue;
    const judge::TraceFacts facts(*excerpt);
    const Position start = start_of(trace, stretch);
    State state = semantics.initial();
    for (Position p = 0; p < start; ++p) state = semantics.after(state, p);
    judge::Reordering walk{excerpt->begin};
    for (int tries = 0; tries < 30; ++tries) {
      const Position p = excerpt->begin + dice.below(excerpt->end - excerpt->begin);
      const Position whole = p - excerpt->begin + start;
      const bool is_next = semantics.next(state, semantics.event(whole).thread) == whole;
      const bool enabled = is_next && semantics.enabled(state, whole);
      walk.steps.push_back(p);
      const auto violation = check_reordering(facts, walk);
      if (enabled != !violation) {
        return fmt::format("events {} to {}: {}, then {}: oracle says {}, excerpt says '{}'",
                           to_index(stretch.from), to_index(stretch.last),
                           fmt::join(in_trace(walk, *excerpt, start).steps, " "), whole, enabled,
                           violation ? violation->reason : "enabled");
      }
      ++(enabled ? allowed : refused);
      if (enabled) {
        state = semantics.after(state, whole);
      } else {
        walk.steps.pop_back();
      }
    }
  }
  return "";
}

class ExcerptVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(ExcerptVsOracle, AllowsAndRefusesTheSameSteps) {
  allowed = refused = 0;
  expect_property("excerpt", GetParam(), {.traces = 3000, .most_events = 24}, excerpt_agrees);
  EXPECT_GT(allowed, 1000u);
  EXPECT_GT(refused, 1000u);
}

size_t witnesses_found = 0;

std::vector<judge::Goal> goals_in(const judge::Excerpt& excerpt) {
  const std::vector<trace::Event>& events = excerpt.trace.events;
  std::vector<judge::Goal> goals;
  for (Position a = excerpt.begin; a < excerpt.end; ++a) {
    for (Position b = excerpt.begin; b < excerpt.end; ++b) {
      const bool acquires = begins_section(events[a].kind) && begins_section(events[b].kind);
      if (a < b && clash(events[a], events[b])) goals.push_back(judge::Goal::race(a, b));
      if (a < b && acquires) goals.push_back(judge::Goal::meeting(a, b));
      if (a < b && acquires && events[a].kind != trace::EventKind::WaitEnd &&
          events[b].kind != trace::EventKind::WaitEnd) {
        goals.push_back(judge::Goal::deadlock({a, b}));
      }
      if (a != b) goals.push_back(judge::Goal::order({a, b}));
      const bool reads = is_read(events[a].kind) && is_write(events[b].kind);
      if (a != b && reads && events[a].location() == events[b].location()) {
        goals.push_back(judge::Goal::read_given(a, b));
      }
    }
  }
  return goals;
}

bool is_reached(const Semantics& semantics, const State& state, const judge::Goal& goal,
                const judge::Reordering& order) {
  switch (goal.kind) {
    case judge::GoalKind::race:
      return races_in(semantics, state, goal.events[0], goal.events[1]);
    case judge::GoalKind::meeting:
      return meets_in(semantics, state, goal.events[0], goal.events[1]);
    case judge::GoalKind::deadlock: {
      std::vector<Position> stuck = goal.events;
      std::ranges::sort(stuck);
      const auto found = deadlocks_in(semantics, state);
      return std::ranges::find(found, stuck) != found.end();
    }
    case judge::GoalKind::order: {
      if (goal.stops_at_read()) {
        return state.last_write[to_index(semantics.event(goal.events[0]).location())] ==
               goal.writer;
      }
      const Interleaving all = order.written_out();
      return std::ranges::find(all, goal.events[0]) < std::ranges::find(all, goal.events[1]);
    }
  }
  return false;
}

std::string witnesses_are_right(const trace::Trace& trace, Dice& dice) {
  const judge::Stretch stretch = any_stretch(trace, dice);
  const std::optional<judge::Excerpt> excerpt = excerpt_of(trace, stretch);
  if (!excerpt || excerpt->begin == excerpt->end) return "";
  const Semantics semantics(trace);
  const judge::Judge judge(*excerpt);
  const Position start = start_of(trace, stretch);
  for (const judge::Goal& goal : goals_in(*excerpt)) {
    const judge::Judgement judgement = judge.decide(goal);
    if (judgement.outcome == judge::JudgeOutcome::impossible) return "an excerpt refutes something";
    if (judgement.outcome != judge::JudgeOutcome::witness) continue;
    ++witnesses_found;
    for (const judge::Reordering& found :
         {judgement.witness, judge.minimized(judgement.goal, judgement.witness)}) {
      judge::Goal in_whole = goal;
      for (Position& p : in_whole.events) p = p - excerpt->begin + start;
      if (goal.writer != judge::kNoPosition) in_whole.writer = goal.writer - excerpt->begin + start;
      const judge::Reordering order = in_trace(found, *excerpt, start);
      Interleaving executed = order.written_out();
      executed.resize(executed.size() - goal.stopped().size());
      if (semantics.first_wrong_step(executed)) {
        return fmt::format("{} of {}: no reordering", goal.word(), fmt::join(in_whole.events, " "));
      }
      State state = semantics.initial();
      for (Position p : executed) state = semantics.after(state, p);
      if (!is_reached(semantics, state, in_whole, order)) {
        return fmt::format("{} of {}: not reached", goal.word(), fmt::join(in_whole.events, " "));
      }
    }
  }
  return "";
}

TEST_P(ExcerptVsOracle, WitnessesAreWitnessesOfTheWholeTrace) {
  witnesses_found = 0;
  expect_property("excerpt-witnesses", GetParam(), {.traces = 1000, .most_events = 20},
                  witnesses_are_right);
  EXPECT_GT(witnesses_found, 100u);
}

finding::AnalysisResult analyzed(const std::string& text, uint64_t excerpt_events) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream) << stream.error().to_text();
  pipeline::DriverOptions options;
  options.analyses = *analysis::select_analyses("all");
  options.in_memory_events = 0;
  options.excerpt_events = excerpt_events;
  options.jobs = 1;
  auto result = analyze(std::move(*stream), options);
  EXPECT_TRUE(result) << result.error().to_text();
  return std::move(*result);
}

// The events that the witness says have happened, without the last ones, which need not read what
// they read in the trace. Nothing if it contains an access of several pieces: these may have to be
// apart (pipeline/witness_steps.h).
std::optional<Interleaving> happened_in(const finding::Finding& finding,
                                        const trace::Trace& trace) {
  std::vector<EventIndex> indices;
  for (uint64_t i = 0; i < finding.witness->prefix_end; ++i) indices.push_back(EventIndex{i});
  indices.insert(indices.end(), finding.witness->steps.begin(), finding.witness->steps.end());
  const size_t about_to_happen = finding.kind() == finding::FindingKind::deadlock ? 0 : 2;
  indices.resize(indices.size() - std::min(indices.size(), about_to_happen));
  Interleaving order;
  for (EventIndex index : indices) {
    size_t pieces = 0;
    for (Position p = 0; p < trace.events.size(); ++p) {
      if (trace.events[p].index == index) order.push_back(p), ++pieces;
    }
    if (pieces > 1) return {};
  }
  return order;
}

// The trace passes by in the pipeline, and no more than a few events of it are judged at a time.
TEST_P(ExcerptVsOracle, PredictionsOfTracesThatAreNotLoadedHold) {
  size_t predicted = 0;
  for (uint64_t number = 0; number < trace_count(500); ++number) {
    const Events events = nth_trace(GetParam(), number);
    const auto trace = well_formed(events);
    if (!trace || trace->events.empty()) continue;
    const std::string text = print_tiddle(to_trace(events));
    const Semantics semantics(*trace);
    for (const finding::Finding& finding : analyzed(text, 2 + number % 20).findings) {
      if (finding.verdict != finding::Verdict::predicted) continue;
      const auto order = happened_in(finding, *trace);
      if (!order) continue;
      ++predicted;
      ASSERT_FALSE(semantics.first_wrong_step(*order))
          << word_of(finding.kind()) << ": " << fmt::format("{}", fmt::join(*order, " ")) << "\n"
          << text;
      if (finding.kind() != finding::FindingKind::race) continue;
      State state = semantics.initial();
      for (Position p : *order) state = semantics.after(state, p);
      for (const finding::DescribedEvent& e : finding.events) {
        const Position p =
            static_cast<Position>(std::ranges::find(trace->events, e.index, &trace::Event::index) -
                                  trace->events.begin());
        ASSERT_EQ(semantics.next(state, semantics.event(p).thread), p) << text;
      }
    }
  }
  EXPECT_GT(predicted, 20u);
}

INSTANTIATE_TEST_SUITE_P(Profiles, ExcerptVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
