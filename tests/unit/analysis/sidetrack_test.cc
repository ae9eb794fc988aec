// SPDX-License-Identifier: Apache-2.0

// SideTrack against PREDICT part VI: the rules of figure 20.3, its examples, and blame.
#include "analysis/atomicity/sidetrack/sidetrack.h"

#include <gtest/gtest.h>

#include "unit/analysis/atomicity_fixture.h"

namespace foretell::analysis {
namespace {

using Errors = std::vector<std::string>;

Errors sidetrack_errors_of(std::string_view text, AnalysisOptions options = {}) {
  return run_atomicity<SideTrack>(text, options).texts();
}

TEST(SideTrack, Figure18_1CulpritAfterTheWindow) {
  EXPECT_EQ(sidetrack_errors_of("beg 1 a acq 1 l rel 1 l acq 1 l rel 1 l end 1 a acq 2 l rel 2 l"),
            (Errors{"AFTER-ERROR a 1-6-3"}));
}

TEST(SideTrack, Figure18_2CulpritInTheWindow) {
  EXPECT_EQ(sidetrack_errors_of("beg 1 a acq 1 l rel 1 l acq 2 l rel 2 l acq 1 l rel 1 l end 1 a"),
            (Errors{"IN-ERROR a 1-3-5"}));
}

TEST(SideTrack, Figure18_3ForkInTheSecondSectionOrders) {
  EXPECT_EQ(sidetrack_errors_of(
                "beg 1 a acq 1 l rel 1 l acq 1 l fork 1 2 rel 1 l end 1 a acq 2 l rel 2 l"),
            Errors{});
}

TEST(SideTrack, Figure18_4CulpritBeforeTheWindow) {
  EXPECT_EQ(sidetrack_errors_of("acq 2 l rel 2 l beg 1 a acq 1 l rel 1 l acq 1 l rel 1 l end 1 a"),
            (Errors{"BEFORE-ERROR a 3-0-5"}));
}

TEST(SideTrack, Figure20_2TheLockThatProtectsBOrders) {
  EXPECT_EQ(
      sidetrack_errors_of("beg 1 v acq 1 m rel 1 m acq 1 m rel 1 m end 1 v acq 1 l wr 1 b rel 1 l "
                          "beg 2 c acq 2 l rd 2 b acq 2 m rel 2 m rel 2 l end 2 c"),
      Errors{});
}

TEST(SideTrack, Figure20_5OnlyTheAfterErrorIsFound) {
  EXPECT_EQ(sidetrack_errors_of("acq 2 m acq 2 l rel 2 l rel 2 m "
                                "beg 1 a acq 1 l acq 1 m rel 1 m acq 1 m rel 1 m rel 1 l end 1 a"),
            Errors{});
  EXPECT_EQ(sidetrack_errors_of("beg 1 a acq 1 l acq 1 m rel 1 m acq 1 m rel 1 m rel 1 l end 1 a "
                                "acq 2 m acq 2 l rel 2 l rel 2 m"),
            (Errors{"AFTER-ERROR a 2-8-4"}));
}

// The release of the culprit is concurrent, its acquire is not (section 20, on BEFORE-ERRORS).
TEST(SideTrack, ForkedWhileTheLockIsHeld) {
  EXPECT_EQ(sidetrack_errors_of(
                "acq 1 m fork 1 2 rel 1 m beg 2 a acq 2 m rel 2 m acq 2 m rel 2 m end 2 a"),
            Errors{});
}

// Figure 20.4: thread 0 is at time 5 when the fragment begins.
TEST(SideTrack, Figure20_4ClockValues) {
  const trace::Trace trace = trace_of(
      "acq 0 n rel 0 n acq 0 n rel 0 n acq 0 n rel 0 n acq 0 n rel 0 n "
      "beg 0 a acq 0 m rel 0 m acq 0 m rel 0 m end 0 a acq 1 m");
  const ThreadId zero = trace.events[0].thread, one = trace.events.back().thread;
  const LockId m = trace.events.back().lock();
  AtomicityOutcome outcome(trace);
  SideTrack sidetrack({}, outcome);
  using Values = std::vector<clocks::Time>;
  auto clock = [&](const clocks::VectorClock& c) { return Values{c[zero], c[one]}; };
  size_t next = 0;
  auto step = [&](std::string_view word) {
    ASSERT_EQ(word_of(trace.events[next].kind), word);
    sidetrack.on_event(trace.events[next++]);
  };
  while (next < 8) sidetrack.on_event(trace.events[next++]);
  EXPECT_EQ(clock(sidetrack.C(zero)), (Values{5, 0}));
  EXPECT_EQ(clock(sidetrack.C(one)), (Values{0, 1}));

  step("beg");
  step("acq");
  EXPECT_EQ(clock(sidetrack.C(zero)), (Values{5, 0}));
  EXPECT_EQ(clock(sidetrack.V(m)), (Values{0, 0}));
  EXPECT_EQ(clock(sidetrack.R(m)), (Values{0, 0}));
  step("rel");
  EXPECT_EQ(clock(sidetrack.C(zero)), (Values{6, 0}));
  EXPECT_EQ(clock(sidetrack.R(m)), (Values{5, 0}));
  EXPECT_EQ(clock(sidetrack.V(m)), (Values{0, 0}));
  step("acq");
  EXPECT_EQ(clock(sidetrack.V(m)), (Values{6, 0}));
  EXPECT_EQ(clock(sidetrack.C(zero)), (Values{6, 0}));
  step("rel");
  EXPECT_EQ(clock(sidetrack.C(zero)), (Values{7, 0}));
  EXPECT_EQ(clock(sidetrack.R(m)), (Values{6, 0}));
  step("end");
  EXPECT_TRUE(outcome.proposals.empty());
  step("acq");
  EXPECT_EQ(outcome.texts(), (Errors{"AFTER-ERROR a 9-14-11"}));
  EXPECT_EQ(clock(sidetrack.C(one)), (Values{6, 1}));
  EXPECT_EQ(clock(sidetrack.V(m)), (Values{6, 0}));
}

// Figure 21.1: b calls d, and c, which calls d; d locks m.
constexpr std::string_view kFigure21_1 =
    "call 1 a call 1 b call 1 d acq 1 m rel 1 m ret 1 d "
    "call 1 c call 1 d acq 1 m rel 1 m ret 1 d ret 1 c ret 1 b ret 1 a acq 2 m rel 2 m";

TEST(SideTrack, Figure21_1BlamesTheCommonPrefix) {
  AnalysisOptions options;
  options.is_atomic_function = [](FunctionId) { return true; };
  EXPECT_EQ(sidetrack_errors_of(kFigure21_1, options), (Errors{"AFTER-ERROR a:b 3-14-8"}));
}

TEST(SideTrack, FunctionsAreNoBlocksUnlessAskedFor) {
  EXPECT_EQ(sidetrack_errors_of(kFigure21_1), Errors{});
}

TEST(SideTrack, OneOfThemOnly) {
  const trace::Trace trace = trace_of(kFigure21_1);
  AnalysisOptions options;
  options.is_atomic_function = [&](FunctionId id) { return trace.tables.functions[id] == "d"; };
  EXPECT_EQ(sidetrack_errors_of(kFigure21_1, options), Errors{});
  options.is_atomic_function = [&](FunctionId id) { return trace.tables.functions[id] == "b"; };
  EXPECT_EQ(sidetrack_errors_of(kFigure21_1, options), (Errors{"AFTER-ERROR b 3-14-8"}));
}

TEST(SideTrack, InnerBlockThatHasBothAcquiresIsBlamedToo) {
  EXPECT_EQ(sidetrack_errors_of(
                "beg 1 a beg 1 b acq 1 l rel 1 l acq 1 l rel 1 l end 1 b end 1 a acq 2 l"),
            (Errors{"AFTER-ERROR a:b 2-8-4"}));
}

TEST(SideTrack, EndsWithItsTransaction) {
  EXPECT_EQ(sidetrack_errors_of(
                "beg 1 a acq 1 l rel 1 l end 1 a beg 1 a acq 1 l rel 1 l end 1 a acq 2 l"),
            Errors{});
}

TEST(SideTrack, SharedAcquiresDoNotInterfere) {
  EXPECT_EQ(
      sidetrack_errors_of("beg 1 a sacq 1 l srel 1 l sacq 1 l srel 1 l end 1 a sacq 2 l srel 2 l"),
      Errors{});
  EXPECT_EQ(
      sidetrack_errors_of("beg 1 a sacq 1 l srel 1 l sacq 1 l srel 1 l end 1 a acq 2 l rel 2 l"),
      (Errors{"AFTER-ERROR a 1-6-3"}));
  EXPECT_EQ(
      sidetrack_errors_of("beg 1 a acq 1 l rel 1 l acq 1 l rel 1 l end 1 a sacq 2 l srel 2 l"),
      (Errors{"AFTER-ERROR a 1-6-3"}));
  EXPECT_EQ(
      sidetrack_errors_of("beg 1 a sacq 1 l srel 1 l acq 1 l rel 1 l end 1 a sacq 2 l srel 2 l"),
      Errors{});
}

TEST(SideTrack, AWaitOpensAWindow) {
  EXPECT_EQ(sidetrack_errors_of(
                "beg 1 a acq 1 l wait 1 c l acq 2 l notify 2 c rel 2 l wake 1 c l rel 1 l"),
            (Errors{"IN-ERROR a 1-3-6"}));
}

TEST(SideTrack, CountsTheColumnsOfTable22_1) {
  const AtomicityOutcome outcome = run_atomicity<SideTrack>(
      "acq 2 l rel 2 l beg 1 a acq 1 l rel 1 l acq 1 l rel 1 l end 1 a acq 2 l");
  EXPECT_EQ(outcome.counters.at("blocks with errors"), 1);
  EXPECT_EQ(outcome.counters.at("blocks with BEFORE-ERRORS"), 1);
  EXPECT_EQ(outcome.counters.at("blocks with IN-ERRORS"), 0);
  EXPECT_EQ(outcome.counters.at("blocks with AFTER-, no IN-ERRORS"), 1);
  EXPECT_EQ(outcome.counters.at("second acquire"), 1);
}

}  // namespace
}  // namespace foretell::analysis
