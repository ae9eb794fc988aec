// SPDX-License-Identifier: Apache-2.0

#include "report/suppressions.h"

#include <gtest/gtest.h>

namespace foretell::report {
namespace {

finding::AnalysisResult race_in(std::string function) {
  finding::AnalysisResult result;
  finding::Finding race{.id = "race-1",
                        .details = finding::RaceFinding{"acc+0:4"},
                        .verdict = finding::Verdict::predicted};
  race.events = {{.thread = "T1",
                  .operation = trace::EventKind::Write,
                  .object = "acc+0:4",
                  .site = "src/bank.cc:8:3",
                  .function = std::move(function),
                  .expression = "acc.balance"},
                 {.thread = "T2",
                  .operation = trace::EventKind::Read,
                  .object = "acc+0:4",
                  .function = "audit"}};
  result.findings.push_back(race);
  return result;
}

finding::AnalysisResult apply(const std::string& file, finding::AnalysisResult result) {
  Suppressions suppressions;
  const auto parsed = suppressions.parse(file, "s.txt");
  EXPECT_TRUE(parsed) << parsed.error().to_text();
  suppressions.apply(result);
  return result;
}

TEST(Pattern, IsFoundAnywhereUnlessItIsTied) {
  EXPECT_TRUE(pattern_matches("pos", "deposit"));
  EXPECT_TRUE(pattern_matches("^dep", "deposit"));
  EXPECT_FALSE(pattern_matches("^pos", "deposit"));
  EXPECT_TRUE(pattern_matches("sit$", "deposit"));
  EXPECT_FALSE(pattern_matches("pos$", "deposit"));
  EXPECT_TRUE(pattern_matches("^deposit$", "deposit"));
  EXPECT_FALSE(pattern_matches("^deposit$", "deposits"));
}

TEST(Pattern, StarIsAnyText) {
  EXPECT_TRUE(pattern_matches("d*t", "deposit"));
  EXPECT_TRUE(pattern_matches("^d*o*t$", "deposit"));
  EXPECT_FALSE(pattern_matches("^d*x*t$", "deposit"));
  EXPECT_TRUE(pattern_matches("*", "deposit"));
  EXPECT_TRUE(pattern_matches("^a*b$", "ab"));
  EXPECT_FALSE(pattern_matches("^ab*b$", "ab"));  // one b cannot be both
}

TEST(Suppressions, MatchFunctionFileOrVariable) {
  for (const char* line : {"race:^deposit$", "race:bank.cc", "race:acc.balance", "race:audit",
                           "race_top:deposit", "race:src/*.cc"}) {
    const finding::AnalysisResult result = apply(line, race_in("deposit"));
    ASSERT_TRUE(result.findings[0].suppressed) << line;
    EXPECT_TRUE(result.notes.empty()) << line;
  }
}

TEST(Suppressions, OfRacesHoldForMemoryErrors) {
  finding::AnalysisResult error = race_in("deposit");
  error.findings[0].details = finding::MemoryFinding{};
  EXPECT_TRUE(apply("race:deposit", error).findings[0].suppressed);
  EXPECT_TRUE(apply("memory:deposit", error).findings[0].suppressed);
  EXPECT_FALSE(apply("memory:deposit", race_in("deposit")).findings[0].suppressed);
}

TEST(Suppressions, KeepTheReason) {
  const finding::AnalysisResult result =
      apply("race:deposit  # only a statistic\n", race_in("deposit"));
  ASSERT_TRUE(result.findings[0].suppressed);
  EXPECT_EQ(result.findings[0].suppressed->reason, "only a statistic");
  EXPECT_EQ(result.findings[0].suppressed->rule, "race:deposit");
}

TEST(Suppressions, AHashInANameBeginsNoReason) {
  EXPECT_TRUE(apply("race:{lambda#1}", race_in("main::{lambda#1}")).findings[0].suppressed);
}

TEST(Suppressions, NameWhatMatchedNothing) {
  const finding::AnalysisResult result =
      apply("# all of them\n\ndeadlock:deposit\n", race_in("deposit"));
  EXPECT_FALSE(result.findings[0].suppressed);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0].to_text("note"),
            "s.txt:3: note: the suppression 'deadlock:deposit' matched no finding\n");
}

TEST(Suppressions, OfThreadSanitizerAloneAreNamed) {
  const finding::AnalysisResult result = apply("called_from_lib:libfoo.so\n", race_in("deposit"));
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0].where, "s.txt:1");
}

TEST(Suppressions, RefuseUnknownKindsAndEmptyPatterns) {
  for (const char* line : {"rase:deposit", "race:", "race", "race: # why"}) {
    Suppressions suppressions;
    const auto parsed = suppressions.parse(line, "s.txt");
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().where, "s.txt:1");
  }
}

TEST(Suppressions, GeneratedOnesMatchWhatTheyWereMadeFrom) {
  for (const char* function : {"deposit", "main::(lambda at a.cc:3:5)::operator()", ""}) {
    const std::string lines = generate_suppressions(race_in(function), finding::Verdict::predicted);
    EXPECT_TRUE(apply(lines, race_in(function)).findings[0].suppressed) << lines;
  }
  EXPECT_EQ(generate_suppressions(race_in("deposit"), finding::Verdict::predicted),
            "race:^deposit$  # data race on 'acc.balance' in audit, deposit\n");
  EXPECT_EQ(generate_suppressions(race_in("deposit"), finding::Verdict::confirmed), "");
}

}  // namespace
}  // namespace foretell::report
