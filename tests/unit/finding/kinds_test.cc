// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>

#include "finding/result.h"

namespace foretell::finding {
namespace {

TEST(FindingKinds, AnAlternativeOfTheDetailsIsItsKind) {
  ASSERT_EQ(finding_kinds().size(), std::variant_size_v<FindingDetails>);
  for (const FindingKindRow& row : finding_kinds()) {
    EXPECT_EQ(Finding{.details = details_of(row.kind)}.kind(), row.kind);
    EXPECT_EQ(finding_kind(row.word), row.kind);
  }
  EXPECT_EQ(Finding{.details = AtomicityFinding{}}.kind(), FindingKind::atomicity);
  EXPECT_FALSE(finding_kind("leak"));
}

TEST(FindingKinds, WordsAreDifferent) {
  std::set<std::string_view> words, nouns, rules;
  for (const FindingKindRow& row : finding_kinds()) {
    words.insert(row.word);
    nouns.insert(row.noun);
    rules.insert(row.rule);
  }
  for (const auto* all : {&words, &nouns, &rules}) {
    EXPECT_EQ(all->size(), finding_kinds().size());
  }
}

TEST(FindingKinds, PatternsAreKnownByTheirWords) {
  EXPECT_EQ(pattern_named("R-W-W"), AtomicityPattern::rww);
  EXPECT_EQ(pattern_named("AFTER-ERROR"), AtomicityPattern::after_error);
  EXPECT_EQ(meaning_of(AtomicityPattern::cycle), "each could be atomic, but not all of them");
  for (auto i = uint8_t{0}; i <= static_cast<uint8_t>(AtomicityPattern::cycle); ++i) {
    EXPECT_EQ(pattern_named(word_of(AtomicityPattern{i})), AtomicityPattern{i});
  }
  EXPECT_FALSE(pattern_named("X-Y-Z"));
}

TEST(FindingKinds, IdsCountEachKindByItself) {
  AnalysisResult result;
  result.findings = {
      {.details = RaceFinding{"x"}}, {.details = DeadlockFinding{}}, {.details = RaceFinding{"y"}}};
  result.dismissed = {{.details = DeadlockFinding{}, .verdict = Verdict::dismissed}};
  result.number_findings();
  EXPECT_EQ(result.findings[2].id, "race-2");
  EXPECT_EQ(result.dismissed[0].id, "deadlock-2");
}

}  // namespace
}  // namespace foretell::finding
