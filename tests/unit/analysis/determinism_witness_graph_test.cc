// SPDX-License-Identifier: Apache-2.0

// NONDET's figures, and where its verdict is not the truth.
#include "analysis/determinism/determinism.h"
#include "race_fixture.h"

namespace foretell::analysis {
namespace {

using Mode = DeterminismOptions::Mode;

// Which writes the read of that index can see, as indices; -1 is the value before all writes. The
// final read has no index.
std::vector<int> others(std::string_view text, Mode mode, std::optional<uint64_t> read) {
  const trace::Trace trace = trace_of(text);
  DeterminismOptions options;
  options.mode = mode;
  std::vector<int> seen;
  for (const ReadOutcome& outcome : examine_determinism(trace, options).reads) {
    const bool is_final = outcome.read == judge::kNoPosition;
    if (is_final == read.has_value()) continue;
    if (read && to_index(trace.events[outcome.read].index) != *read) continue;
    for (const OtherWrite& other : outcome.others) {
      EXPECT_EQ(other.outcome, judge::JudgeOutcome::witness);
      const bool initial = other.writer == judge::kNoPosition;
      seen.push_back(initial ? -1 : static_cast<int>(to_index(trace.events[other.writer].index)));
    }
  }
  std::ranges::sort(seen);
  return seen;
}

using Indices = std::vector<int>;

std::map<WitnessFate, int> fates(std::string_view text, judge::Position read) {
  const trace::Trace trace = trace_of(text);
  const judge::TraceFacts facts(trace);
  WitnessGraph graph(facts, WitnessGraph::Detail::choices);
  std::map<WitnessFate, int> fates;
  for (const auto& [order, challengers, fate] : graph.decide_read(read)) {
    fates[fate] += static_cast<int>(challengers.size());
  }
  const uint64_t cycles = graph.counts().cycles;
  if (cycles > 0) fates[WitnessFate::cycle] = static_cast<int>(cycles);
  return fates;
}

// No race, but the sections can be swapped.
constexpr std::string_view kFigure1 = R"(
acq 1 l
wr 1 x
rel 1 l
acq 2 l
rd 2 x
rel 2 l)";

TEST(WitnessGraph, Figure1IsRaceFreeAndNondeterministic) {
  EXPECT_EQ(others(kFigure1, Mode::paper, 4), Indices({-1}));
  EXPECT_EQ(others(kFigure1, Mode::exact, 4), Indices({-1}));
}

// T1: c, w, then publishes y under the lock. T2: reads y, then r under the lock.
constexpr std::string_view kFigure4 = R"(
wr 1 x
wr 1 x
acq 1 l
wr 1 y
rel 1 l
rd 2 y
acq 2 l
rd 2 x
rel 2 l)";

TEST(WitnessGraph, Figure4HasACycleThroughTheReadOfThePointer) {
  EXPECT_EQ(fates(kFigure4, 7), (std::map<WitnessFate, int>{{WitnessFate::cycle, 5}}));
  EXPECT_EQ(others(kFigure4, Mode::exact, 7), Indices());
}

// Each order of the sections of l1, and then each of those of l2, leads from the read of v to the
// write of v.
constexpr std::string_view kFigure5 = R"(
rd 3 v
wr 3 p
acq 1 l1
wr 1 q1
rd 1 p
rel 1 l1
acq 2 l1
wr 2 q2
rd 2 p
rel 2 l1
acq 5 l2
wr 5 s1
rd 5 q1
rd 5 q2
rel 5 l2
acq 6 l2
wr 6 s2
rd 6 q1
rd 6 q2
rel 6 l2
rd 4 s1
rd 4 s2
wr 4 v)";

TEST(WitnessGraph, Figure5HasOnlyCyclicChoiceGraphs) {
  EXPECT_EQ(fates(kFigure5, 0), (std::map<WitnessFate, int>{{WitnessFate::choice_all_cyclic, 1}}));
  EXPECT_EQ(others(kFigure5, Mode::exact, 0), Indices());
}

// The smallest trace on which the two modes differ. Every run in which the read sees the write of
// T1 ends with that write; G' orders it before the write of T2, which falls between it and the
// read.
TEST(WitnessGraph, PaperForgetsThatAThirdWriteCanFallBetween) {
  constexpr std::string_view kTrace = "wr 2 x\nwr 1 x\nrd 2 x";
  EXPECT_EQ(others(kTrace, Mode::paper, std::nullopt), Indices({0}));
  EXPECT_EQ(others(kTrace, Mode::exact, std::nullopt), Indices());
}

// The same for a read of the program.
TEST(WitnessGraph, PaperForgetsItForReadsToo) {
  constexpr std::string_view kTrace = "wr 2 x\nwr 1 x\nrd 2 x\nrd 2 x";
  EXPECT_EQ(others(kTrace, Mode::paper, 3), Indices({0}));
  EXPECT_EQ(others(kTrace, Mode::exact, 3), Indices());
}

// The other way round: the paper's interleavings have all events, but what T2 does after its read
// need not happen before T1 enters its section, which never ends.
TEST(WitnessGraph, PaperWantsEventsThatNobodyNeeds) {
  constexpr std::string_view kTrace = "rd 2 x\nacq 2 l\nrel 2 l\nacq 1 l\nwr 1 x";
  EXPECT_EQ(others(kTrace, Mode::paper, 0), Indices());
  EXPECT_EQ(others(kTrace, Mode::exact, 0), Indices({4}));
}

// Sync edges: without them each of these reads could see the value before the write.
TEST(WitnessGraph, ForkOrders) {
  constexpr std::string_view kTrace = "wr 0 x\nfork 0 1\nrd 1 x";
  EXPECT_EQ(fates(kTrace, 2), (std::map<WitnessFate, int>{{WitnessFate::cycle, 2}}));
  EXPECT_EQ(others(kTrace, Mode::exact, 2), Indices());
  EXPECT_EQ(others("wr 0 x\nrd 1 x", Mode::paper, 1), Indices({-1}));
}

TEST(WitnessGraph, JoinOrders) {
  constexpr std::string_view kTrace = "wr 1 x\njoin 0 1\nrd 0 x";
  EXPECT_EQ(fates(kTrace, 2), (std::map<WitnessFate, int>{{WitnessFate::cycle, 2}}));
  EXPECT_EQ(others(kTrace, Mode::exact, 2), Indices());
}

// The reader has waited for a notify after the write.
TEST(WitnessGraph, NotifyOrders) {
  constexpr std::string_view kTrace = R"(
acq 2 m
wait 2 c m
acq 1 m
wr 1 x
notify 1 c
rel 1 m
wake 2 c m
rd 2 x
rel 2 m)";
  EXPECT_EQ(others(kTrace, Mode::paper, 7), Indices());
  EXPECT_EQ(others(kTrace, Mode::exact, 7), Indices());
}

// The other direction of that edge: who is notified was waiting, so the read before the wait cannot
// come after the notify.
TEST(WitnessGraph, WaitOrders) {
  constexpr std::string_view kTrace = R"(
acq 2 m
rd 2 x
wait 2 c m
acq 1 m
notifyall 1 c
wr 1 x
rel 1 m
wake 2 c m
rel 2 m)";
  EXPECT_EQ(others(kTrace, Mode::paper, 1), Indices());
  constexpr std::string_view kWithoutWaiting = R"(
acq 2 m
rd 2 x
rel 2 m
acq 1 m
notifyall 1 c
wr 1 x
rel 1 m)";
  EXPECT_EQ(others(kWithoutWaiting, Mode::paper, 1), Indices({5}));
}

// The order of the witness induces the order of the scopes: nothing is left to choose.
TEST(WitnessGraph, AnOrderEdgeSwapsScopes) {
  constexpr std::string_view kTrace = R"(
rd 1 x
acq 1 l
wr 1 a
rel 1 l
acq 2 l
wr 2 b
rel 2 l
wr 2 x)";
  EXPECT_EQ(fates(kTrace, 0), (std::map<WitnessFate, int>{{WitnessFate::no_choice, 1}}));
  EXPECT_EQ(others(kTrace, Mode::exact, 0), Indices({7}));
}

// By the index of the other write (-1: the value before all), the paper's orders that are feasible.
std::map<int, std::vector<int>> feasible_orders(std::string_view text, uint64_t read) {
  const trace::Trace trace = trace_of(text);
  DeterminismOptions options;
  options.mode = Mode::paper;
  std::map<int, std::vector<int>> orders;
  for (const ReadOutcome& outcome : examine_determinism(trace, options).reads) {
    if (outcome.read == judge::kNoPosition || to_index(trace.events[outcome.read].index) != read)
      continue;
    for (const OtherWrite& other : outcome.others) {
      const bool initial = other.writer == judge::kNoPosition;
      const int c = initial ? -1 : static_cast<int>(to_index(trace.events[other.writer].index));
      for (WitnessOrder order : WitnessOrders::kAll) {
        if (other.orders.contains(order)) orders[c].push_back(static_cast<int>(order));
      }
    }
  }
  return orders;
}

using Orders = std::map<int, std::vector<int>>;

TEST(WitnessOrders, SayHowAnotherWriteIsSeen) {
  // The read can come before its write, which then follows or never occurs.
  EXPECT_EQ(feasible_orders("wr 1 x\nrd 2 x", 1), (Orders{{-1, {1, 3}}}));
  // Both writes are over: only which of them was the last is open.
  EXPECT_EQ(feasible_orders("wr 1 x\nwr 2 x\njoin 3 1\njoin 3 2\nrd 3 x", 4), (Orders{{0, {2}}}));
  // A later write can come between; the writer's thread goes on to nothing that matters.
  EXPECT_EQ(feasible_orders("wr 1 x\nrd 2 x\nwr 3 x", 1), (Orders{{-1, {1, 3}}, {2, {1, 2, 3}}}));
}

TEST(WitnessGraph, WhatOneThreadUsesHasNoWitnesses) {
  const trace::Trace trace = trace_of("wr 1 x\nwr 1 x\nrd 1 x\nwr 1 y\nrd 2 y");
  DeterminismOptions options;
  options.mode = Mode::paper;
  const DeterminismResult result = examine_determinism(trace, options);
  EXPECT_EQ(result.witnesses.possible, 2u);  // orders (1) and (3) of the read of y
  EXPECT_EQ(result.examined, 2u);
}

TEST(Determinism, ASameValueIsHarmless) {
  const trace::Trace trace = trace_of("wr 1 x 7\nwr 2 x 7\nrd 3 x 7");
  DeterminismOptions options;
  options.final_state = false;
  options.is_wanted = [](const trace::Event& e) { return to_index(e.index) == 2; };
  const DeterminismResult result = examine_determinism(trace, options);
  ASSERT_EQ(result.reads.size(), 1u);
  EXPECT_FALSE(result.reads[0].is_harmless);  // it could come before both

  const trace::Trace joined = trace_of("wr 1 x 7\nwr 2 x 7\njoin 3 1\njoin 3 2\nrd 3 x 7");
  options.is_wanted = [](const trace::Event&) { return true; };
  const DeterminismResult after = examine_determinism(joined, options);
  ASSERT_EQ(after.reads.size(), 1u);
  EXPECT_TRUE(after.reads[0].is_harmless);
}

TEST(Determinism, NothingIsExaminedAfterTheDeadline) {
  const trace::Trace trace = trace_of("wr 1 x\nrd 2 x");
  DeterminismOptions options;
  options.deadline = std::chrono::steady_clock::now();
  const DeterminismResult result = examine_determinism(trace, options);
  EXPECT_EQ(result.examined, 0u);
  EXPECT_FALSE(result.is_deterministic());
}

TEST(Determinism, StoppedItTellsWhatWasNotExamined) {
  const trace::Trace trace = trace_of(
      "acq 1 m\nwr 1 x 1\nrel 1 m\nacq 2 m\nwr 2 x 2\nrd 2 x 2\nrel 2 m\n"
      "acq 3 m\nrd 3 x 2\nrel 3 m\nacq 3 m\nrd 3 x 2\nrel 3 m\n");
  std::atomic<bool> stop = false;
  DeterminismOptions options;
  options.stop = &stop;
  options.final_state = false;
  options.progress = [&](std::string_view, double) { stop = true; };
  const DeterminismResult result = examine_determinism(trace, options);
  EXPECT_EQ(result.examined, 0u);
  EXPECT_TRUE(result.reads.empty());
  EXPECT_EQ(result.not_examined, 3u);
  EXPECT_FALSE(result.is_deterministic());
}

}  // namespace
}  // namespace foretell::analysis
