// SPDX-License-Identifier: Apache-2.0

#include "report/baseline.h"

#include <gtest/gtest.h>

namespace foretell::report {
namespace {

finding::AnalysisResult run_of(std::string program, std::vector<std::string> fingerprints) {
  finding::AnalysisResult result;
  result.trace.name = std::move(program);
  for (std::string& fingerprint : fingerprints) {
    finding::Finding f{.details = finding::RaceFinding{"x"},
                       .verdict = finding::Verdict::predicted};
    f.fingerprint = std::move(fingerprint);
    result.findings.push_back(f);
  }
  return result;
}

std::vector<finding::BaselineState> states(const Baseline& baseline,
                                           finding::AnalysisResult& result) {
  baseline.apply(result);
  std::vector<finding::BaselineState> all;
  for (const finding::Finding& f : result.findings) all.push_back(f.baseline);
  return all;
}

TEST(Baseline, KnowsWhatItWasMadeFromAfterWritingAndReading) {
  Baseline made;
  EXPECT_EQ(made.update(run_of("./bank", {"aa", "bb"})).fresh, 2u);
  const auto baseline = Baseline::parse(made.to_text(), "b");
  ASSERT_TRUE(baseline) << baseline.error().to_text();
  finding::AnalysisResult again = run_of("build/bank", {"bb", "cc"});
  EXPECT_EQ(states(*baseline, again),
            (std::vector{finding::BaselineState::known, finding::BaselineState::fresh}));
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
  finding::AnalysisResult again = run_of("bank", {"aa"});
  EXPECT_EQ(states(baseline, again), std::vector{finding::BaselineState::regression});
  EXPECT_TRUE(again.findings[0].is_open());
  EXPECT_EQ(baseline.update(again).regressions, 1u);
  EXPECT_EQ(baseline.known(), 1u);
}

TEST(Baseline, OneProgramSaysNothingOfAnother) {
  Baseline baseline;
  baseline.update(run_of("bank", {"aa"}));
  EXPECT_EQ(baseline.update(run_of("transfer", {"bb"})).fixed, 0u);
  finding::AnalysisResult transfer = run_of("transfer", {"bb"});
  baseline.apply(transfer);
  EXPECT_TRUE(transfer.fixed.empty());
}

// A test run of /b/bank; the names are all tests that ran.
finding::AnalysisResult test_run(std::vector<finding::RanTest> tests,
                                 std::vector<std::string> fingerprints = {}) {
  finding::AnalysisResult result = run_of("ctest", std::move(fingerprints));
  result.trace.programs = {"/b/bank"};
  result.trace.tests = std::move(tests);
  return result;
}

std::vector<std::string> fingerprints(const std::vector<finding::AbsentFinding>& findings) {
  std::vector<std::string> all;
  for (const finding::AbsentFinding& f : findings) all.push_back(f.fingerprint);
  return all;
}

TEST(Baseline, OnlyTheTestsThatHaveShownItCanCallItFixed) {
  finding::AnalysisResult first = test_run({{"t1"}, {"t2"}, {"t3"}}, {"aa", "bb"});
  first.findings[0].seen_in = {{.test = "t1", .program = "bank"}, {.test = "t2"}};
  first.findings[1].seen_in = {{.test = "t3", .program = "bank"}};
  Baseline made;
  made.update(first);
  auto baseline = Baseline::parse(made.to_text(), "b");
  ASSERT_TRUE(baseline) << baseline.error().to_text();
  using Names = std::vector<std::string>;

  finding::AnalysisResult half = test_run({{"t1"}, {"t3"}});
  baseline->apply(half);
  EXPECT_EQ(fingerprints(half.fixed), Names{"bb"});
  EXPECT_EQ(fingerprints(half.not_run), Names{"aa"});
  finding::AnalysisResult alone = run_of("./bank", {});  // perhaps with other arguments
  baseline->apply(alone);
  EXPECT_EQ(fingerprints(alone.not_run), (Names{"aa", "bb"}));
  finding::AnalysisResult cut_off = test_run({});
  EXPECT_EQ(baseline->update(cut_off).fixed, 0u);
  EXPECT_EQ(baseline->update(test_run({{"t1"}, {"t2"}})).fixed, 1u);
  EXPECT_EQ(baseline->known(), 1u);
}

TEST(Baseline, CasesOfGoogleTestAreTests) {
  finding::AnalysisResult first = test_run({{"t,1", {"A.x", "A.y", "A.z"}}}, {"aa"});
  first.findings[0].seen_in = {{.test = "t,1", .test_case = "A.x and A.y"}};
  Baseline made;
  made.update(first);
  auto baseline = Baseline::parse(made.to_text(), "b");
  ASSERT_TRUE(baseline) << baseline.error().to_text();
  EXPECT_EQ(baseline->update(test_run({{"t,1", {"A.x", "A.z"}}})).fixed, 0u);
  EXPECT_EQ(baseline->update(test_run({{"t,1", {"A.x", "A.y"}}})).fixed, 1u);
}

TEST(Baseline, ATestThatNoLongerShowsItIsForgottenOnceItRan) {
  finding::AnalysisResult run = test_run({{"t1"}, {"t2"}}, {"aa"});
  run.findings[0].seen_in = {{.test = "t1"}, {.test = "t2"}};
  Baseline baseline;
  baseline.update(run);
  run.findings[0].seen_in = {{.test = "t2"}};
  baseline.update(run);
  EXPECT_EQ(baseline.update(test_run({{"t2"}})).fixed, 1u);
}

TEST(Baseline, WithoutTestsTheProgramHasToRun) {
  Baseline baseline;
  baseline.update(run_of("bank", {"aa"}));
  finding::AnalysisResult cut_off = test_run({});
  baseline.apply(cut_off);
  EXPECT_TRUE(cut_off.fixed.empty());
  finding::AnalysisResult tests = test_run({{"t1"}});
  baseline.apply(tests);
  EXPECT_EQ(tests.fixed.size(), 1u);
}

TEST(Baseline, ReadsTheFirstVersion) {
  auto baseline = Baseline::parse("# foretell baseline 1\naa known race bank data race\n", "b");
  ASSERT_TRUE(baseline) << baseline.error().to_text();
  finding::AnalysisResult run = run_of("bank", {});
  baseline->apply(run);
  ASSERT_EQ(run.fixed.size(), 1u);
  EXPECT_EQ(run.fixed[0].text, "data race");
}

TEST(Baseline, LeavesOutWhatIsSuppressedOrOnlyPossible) {
  finding::AnalysisResult result = run_of("bank", {"aa", "bb"});
  result.findings[0].suppressed = finding::SuppressedBy{"race:x"};
  result.findings[1].verdict = finding::Verdict::possible;
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
}  // namespace foretell::report
