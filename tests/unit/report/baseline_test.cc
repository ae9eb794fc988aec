#include "report/baseline.h"

#include <gtest/gtest.h>

namespace foretell {
namespace {

AnalysisResult run_of(std::string program, std::vector<std::string> fingerprints) {
  AnalysisResult result;
  result.trace.name = std::move(program);
  for (std::string& fingerprint : fingerprints) {
    Finding f{.verdict = Verdict::predicted, .location = "x"};
    f.fingerprint = std::move(fingerprint);
    result.findings.push_back(f);
  }
  return result;
}

std::vector<BaselineState> states(const Baseline& baseline, AnalysisResult& result) {
  baseline.apply(result);
  std::vector<BaselineState> all;
  for (const Finding& f : result.findings) all.push_back(f.baseline);
  return all;
}

TEST(Baseline, KnowsWhatItWasMadeFromAfterWritingAndReading) {
  Baseline made;
  EXPECT_EQ(made.update(run_of("./bank", {"aa", "bb"})).fresh, 2u);
  const auto baseline = Baseline::parse(made.to_text(), "b");
  ASSERT_TRUE(baseline) << baseline.error().to_text();
  AnalysisResult again = run_of("build/bank", {"bb", "cc"});
  EXPECT_EQ(states(*baseline, again), (std::vector{BaselineState::known, BaselineState::fresh}));
  ASSERT_EQ(again.fixed.size(), 1u);
  EXPECT_EQ(again.fixed[0].fingerprint, "aa");
  EXPECT_TRUE(again.findings[1].is_open());
  EXPECT_FALSE(again.findings[0].is_open());
}

TEST(Baseline, WhatComesBackIsARegression) {
  Baseline baseline;
  baseline.update(run_of("bank", {"aa"}));
  EXPECT_EQ(baseline.update(run_of("bank", {})).fixed, 1u);
  EXPECT_EQ(baseline.known(), 0u);
  AnalysisResult again = run_of("bank", {"aa"});
  EXPECT_EQ(states(baseline, again), std::vector{BaselineState::regression});
  EXPECT_TRUE(again.findings[0].is_open());
  EXPECT_EQ(baseline.update(again).regressions, 1u);
  EXPECT_EQ(baseline.known(), 1u);
}

TEST(Baseline, OneProgramSaysNothingOfAnother) {
  Baseline baseline;
  baseline.update(run_of("bank", {"aa"}));
  EXPECT_EQ(baseline.update(run_of("transfer", {"bb"})).fixed, 0u);
  AnalysisResult transfer = run_of("transfer", {"bb"});
  baseline.apply(transfer);
  EXPECT_TRUE(transfer.fixed.empty());
}

TEST(Baseline, ATestRunSpeaksForAllProgramsItRan) {
  AnalysisResult tests = run_of("ctest: 2 processes", {"aa", "bb"});
  tests.trace.programs = {"/b/bank", "/b/transfer"};
  tests.findings[0].seen_in = {{.test = "t1", .program = "bank"}};
  tests.findings[1].seen_in = {{.test = "t2", .program = "transfer"}};
  Baseline baseline;
  baseline.update(tests);
  AnalysisResult bank = run_of("./bank", {});
  baseline.apply(bank);
  ASSERT_EQ(bank.fixed.size(), 1u);
  EXPECT_EQ(bank.fixed[0].fingerprint, "aa");
  tests.findings.clear();
  EXPECT_EQ(baseline.update(tests).fixed, 2u);
}

TEST(Baseline, LeavesOutWhatIsSuppressedOrOnlyPossible) {
  AnalysisResult result = run_of("bank", {"aa", "bb"});
  result.findings[0].suppressed = SuppressedBy{"race:x"};
  result.findings[1].verdict = Verdict::possible;
  Baseline baseline;
  EXPECT_EQ(baseline.update(result).fresh, 0u);
}

TEST(Baseline, RefusesOtherFiles) {
  EXPECT_FALSE(Baseline::parse("{}", "b"));
  const auto wrong = Baseline::parse("# foretell baseline 1\naa maybe race p x\n", "b");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "b:2");
}

}  // namespace
}  // namespace foretell
