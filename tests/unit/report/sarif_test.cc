// SPDX-License-Identifier: Apache-2.0

#include "report/sarif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/sarif_kinds.h"

namespace foretell::report {
namespace {

finding::DescribedEvent event(std::string thread, std::string operation, uint64_t index) {
  return {.index = EventIndex{index},
          .thread = std::move(thread),
          .operation = finding::operation_named(operation).value(),
          .object = "x",
          .site = "a.cc:" + std::to_string(index + 1)};
}

finding::Finding race() {
  finding::Finding f{
      .id = "race-1", .details = finding::RaceFinding{"x"}, .verdict = finding::Verdict::predicted};
  f.events = {event("T1", "wr", 1), event("T2", "rd", 2)};
  f.witness = finding::Witness{.steps = {EventIndex{0}, EventIndex{1}, EventIndex{2}},
                               .last_steps = {event("T1", "acq", 0), f.events[0], f.events[1]}};
  return f;
}

// The file without blanks, so that tests may look for parts of it.
std::string sarif(const finding::AnalysisResult& result, const SarifOptions& options = {},
                  std::vector<Diagnostic>* left_out = nullptr) {
  std::vector<Diagnostic> ignored;
  std::string text = to_sarif(result, options, left_out != nullptr ? *left_out : ignored);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

size_t occurrences(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Sarif, RacingAccessesHaveTheSameExecutionOrder) {
  finding::AnalysisResult result;
  result.findings = {race()};
  const std::string text = sarif(result);
  EXPECT_EQ(occurrences(text, "\"executionOrder\":1,") + occurrences(text, "\"executionOrder\":1}"),
            1u)
      << text;
  EXPECT_EQ(occurrences(text, "\"executionOrder\":2"), 2u) << text;
  EXPECT_EQ(occurrences(text, "\"executionOrder\":3"), 0u) << text;
}

TEST(Sarif, WaitsOfADeadlockAreSimultaneousAfterTheLastStep) {
  finding::Finding f{.details = finding::DeadlockFinding{.is_cycle = true}};
  f.events = {event("T1", "acq", 2), event("T2", "acq", 3)};
  f.witness = finding::Witness{
      .prefix_end = 10, .steps = {EventIndex{10}}, .last_steps = {event("T1", "acq", 10)}};
  finding::AnalysisResult result;
  result.findings = {f};
  const std::string text = sarif(result);
  EXPECT_EQ(occurrences(text, "\"executionOrder\":11"), 1u) << text;
  EXPECT_EQ(occurrences(text, "\"executionOrder\":12"), 2u) << text;
}

TEST(Sarif, WhatHasNoWitnessHasNoOrder) {
  finding::Finding f = race();
  f.witness.reset();
  f.verdict = finding::Verdict::possible;
  finding::AnalysisResult result;
  result.findings = {f};
  const std::string text = sarif(result);
  EXPECT_EQ(occurrences(text, "executionOrder"), 0u);
  EXPECT_EQ(occurrences(text, "\"threadFlows\""), 1u);
  EXPECT_NE(text.find("\"level\":\"note\""), std::string::npos);
}

TEST(Sarif, KeepsTheWorstWhenThereAreTooManyAndSaysSo) {
  finding::AnalysisResult result;
  for (finding::Verdict verdict :
       {finding::Verdict::possible, finding::Verdict::predicted, finding::Verdict::confirmed}) {
    result.findings.push_back(race());
    result.findings.back().verdict = verdict;
  }
  std::vector<Diagnostic> left_out;
  const std::string text = sarif(result, {.limits = {.results = 2}}, &left_out);
  EXPECT_EQ(occurrences(text, "\"ruleId\""), 2u);
  EXPECT_EQ(occurrences(text, "\"level\":\"note\""), 0u);
  EXPECT_LT(text.find("\"level\":\"error\""), text.find("\"verdict\":\"predicted\""));
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_EQ(left_out[0].message,
            "the SARIF file has the 2 worst of 3 findings: GitHub takes no more");
  EXPECT_EQ(occurrences(text, "toolExecutionNotifications"), 1u);
}

TEST(Sarif, KeepsTheEndOfALongFlow) {
  finding::AnalysisResult result;
  result.findings = {race()};
  const std::string text = sarif(result, {.limits = {.flow_locations = 2}});
  EXPECT_EQ(occurrences(text, "\"executionOrder\""), 2u);
  EXPECT_EQ(occurrences(text, "\"danger\""), 2u);
}

TEST(Sarif, LaterFindingsGoWithoutFlowsInAFullFile) {
  finding::AnalysisResult result;
  result.findings = {race(), race(), race()};
  std::vector<Diagnostic> left_out;
  const std::string text = sarif(result, {.limits = {.flow_bytes = 10}}, &left_out);
  EXPECT_EQ(occurrences(text, "\"codeFlows\""), 1u);
  EXPECT_EQ(occurrences(text, "\"ruleId\""), 3u);
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_TRUE(left_out[0].message.starts_with("2 findings are in the SARIF file without"));
}

TEST(Sarif, SuppressionsAndBaselineStatesStandOnEveryResult) {
  finding::AnalysisResult result;
  result.findings = {race(), race(), race()};
  result.findings[0].suppressed = finding::SuppressedBy{"race:x", "a statistic"};
  result.findings[0].baseline = finding::BaselineState::known;
  result.findings[1].baseline = finding::BaselineState::fresh;
  result.findings[2].baseline = finding::BaselineState::regression;
  const std::string text = sarif(result);
  EXPECT_EQ(occurrences(text, "\"suppressions\""), 3u);
  EXPECT_EQ(occurrences(text, "\"justification\":\"astatistic\""), 1u);
  EXPECT_EQ(occurrences(text, "\"baselineState\":\"unchanged\""), 1u);
  EXPECT_EQ(occurrences(text, "\"baselineState\":\"new\""), 2u);
}

TEST(Sarif, NamesFilesBelowTheFolderFromThereAndEncodesTheirNames) {
  finding::Finding f = race();
  f.events[0].site = "/home/me/a b/ä.cc:3:1";
  f.events[1].site = "/usr/include/x.h:7:2";
  finding::AnalysisResult result;
  result.findings = {f};
  const std::string text = sarif(result, {.directory = "/home/me"});
  EXPECT_NE(text.find("\"uri\":\"a%20b/%C3%A4.cc\",\"uriBaseId\":\"SRCROOT\""), std::string::npos);
  EXPECT_NE(text.find("\"uri\":\"file:///usr/include/x.h\"}"), std::string::npos);
  EXPECT_NE(text.find("\"SRCROOT\":{\"uri\":\"file:///home/me/\"}"), std::string::npos);
}

TEST(SarifKinds, AreWordsOfTheStandard) {
  const std::set<std::string_view> standard = {
      "acquire", "release",  "enter",   "exit",        "call",  "return",   "branch",  "implicit",
      "false",   "true",     "caution", "danger",      "taint", "function", "handler", "lock",
      "memory",  "resource", "scope",   "unreachable", "value", "unknown"};
  for (uint8_t i = 0; i < trace::kEventKindCount; ++i) {
    const auto kinds = sarif_kinds(trace::EventKind{i});
    EXPECT_FALSE(kinds.empty());
    for (std::string_view kind : kinds) EXPECT_TRUE(standard.contains(kind)) << kind;
  }
}

}  // namespace
}  // namespace foretell::report
