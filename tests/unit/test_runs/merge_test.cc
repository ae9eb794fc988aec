// SPDX-License-Identifier: Apache-2.0

#include "test_runs/merge.h"

#include <gtest/gtest.h>

#include "test_runs/junit.h"

namespace foretell::test_runs {
namespace {

finding::Finding race(const std::string& fingerprint, const std::string& site,
                      finding::Verdict verdict = finding::Verdict::predicted) {
  finding::Finding f{.details = finding::RaceFinding{"x"}, .verdict = verdict};
  f.events = {{.thread = "T0", .operation = trace::EventKind::Write, .object = "x", .site = site},
              {.thread = "T1", .operation = trace::EventKind::Read, .object = "x", .site = site}};
  f.fingerprint = fingerprint;
  return f;
}

ProcessRun process(const std::string& name, std::vector<finding::Finding> findings) {
  ProcessRun run;
  run.name = name;
  run.test = "test_" + name;
  run.run.info.program = "/b/" + name;
  run.result.findings = std::move(findings);
  return run;
}

std::string tests_named(const finding::Finding& f) {
  std::string names;
  for (const finding::SeenIn& seen : f.seen_in) names += (names.empty() ? "" : " ") + seen.name();
  return names;
}

TEST(MergedRuns, OneFindingOfTwoProcessesIsOne) {
  std::vector<ProcessRun> runs = {process("a", {race("f", "/one/a.cc:3:1")}),
                                  process("b", {race("g", "a.cc:9:1"), race("f", "a.cc:3:1")})};
  MergedRuns merged(runs, "ctest");
  merged.take_best();
  const finding::AnalysisResult& result = merged.result();
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(runs[1].result.findings[0].id, "race-2");
  EXPECT_EQ(runs[1].result.findings[1].id, "race-1");
  EXPECT_EQ(tests_named(result.findings[0]), "test_a test_b");
  EXPECT_EQ(result.trace.name, "ctest: 2 processes of 2 tests");
  EXPECT_EQ(result.trace.programs, (std::vector<std::string>{"/b/a", "/b/b"}));
}

TEST(MergedRuns, OneFingerprintAtTwoLinesIsTwo) {
  std::vector<ProcessRun> runs = {process("a", {race("f", "a.cc:3:1")}),
                                  process("b", {race("f", "a.cc:4:1")})};
  EXPECT_EQ(MergedRuns(runs, "ctest").result().findings.size(), 2u);
}

TEST(MergedRuns, TheBestVerdictIsShown) {
  std::vector<ProcessRun> runs = {process("a", {race("f", "a.cc:3:1")}),
                                  process("b", {race("f", "a.cc:3:1")})};
  MergedRuns merged(runs, "ctest");
  merged.found()[0][1].finding->verdict = finding::Verdict::confirmed;
  merged.take_best();
  EXPECT_EQ(merged.result().findings[0].verdict, finding::Verdict::confirmed);
  EXPECT_EQ(tests_named(merged.result().findings[0]), "test_b test_a");
}

TEST(MergedRuns, WhatIsSuppressedIsSoInEachProcess) {
  std::vector<ProcessRun> runs = {process("a", {race("f", "a.cc:3:1")}),
                                  process("b", {race("f", "a.cc:3:1")})};
  MergedRuns merged(runs, "ctest");
  merged.result().findings[0].suppressed = finding::SuppressedBy{"race:x"};
  merged.share_results();
  for (const ProcessRun& run : runs) EXPECT_TRUE(run.result.findings[0].suppressed) << run.name;
}

TEST(JunitSuites, ATestFailsOnceForEachOfItsFindings) {
  std::vector<ProcessRun> runs = {process("a", {race("f", "a.cc:3:1"), race("g", "a.cc:5:1")}),
                                  process("b", {})};
  MergedRuns merged(runs, "ctest");
  merged.result().findings[1].baseline = finding::BaselineState::known;
  const auto suites = junit_suites(runs, merged.result(), finding::Verdict::predicted);
  ASSERT_EQ(suites.size(), 1u);
  ASSERT_EQ(suites[0].cases.size(), 2u);
  EXPECT_EQ(suites[0].cases[0].name, "test_a");
  EXPECT_EQ(suites[0].cases[0].failures.size(), 1u);
  EXPECT_EQ(suites[0].cases[1].failures.size(), 0u);
  EXPECT_TRUE(junit_suites(runs, merged.result(), finding::Verdict::confirmed)[0]
                  .cases[0]
                  .failures.empty());
}

}  // namespace
}  // namespace foretell::test_runs
