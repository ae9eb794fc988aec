// SPDX-License-Identifier: Apache-2.0

#include "pipeline/benign.h"

#include <gtest/gtest.h>

#include "pipeline/driver.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

finding::Proposal race(uint64_t first, uint64_t second) {
  return finding::Proposal::race({}, {.index = EventIndex{first}}, {.index = EventIndex{second}});
}

TEST(BenignRanges, HoldForTheirMemoryAndTheirEvents) {
  trace::TraceTables tables;
  const StringId hits = tables.strings.intern("hits");
  tables.facts.benign = {{{hits, 8, 8}, EventIndex{10}, EventIndex{20}},
                         {{StringId{}, 0x9010, 4}, EventIndex{0}}};
  const BenignRanges benign(tables);
  EXPECT_TRUE(benign.covers({hits, 8, 4}, race(5, 10)));
  EXPECT_TRUE(benign.covers({hits, 15, 1}, race(5, 19)));
  EXPECT_FALSE(benign.covers({hits, 16, 1}, race(5, 19)));
  EXPECT_FALSE(benign.covers({hits, 0, 8}, race(5, 19)));
  EXPECT_FALSE(benign.covers({hits, 8, 4}, race(5, 9)));
  EXPECT_FALSE(benign.covers({hits, 8, 4}, race(5, 20)));
  EXPECT_FALSE(benign.covers({StringId{}, 8, 4}, race(5, 10)));
  EXPECT_TRUE(benign.covers({StringId{}, 0x9010, 4}, race(0, 1)));
}

finding::AnalysisResult analyzed(bool a_is_benign) {
  static constexpr std::string_view kTwoRaces = "wr 1 a+0:4 wr 1 b+0:4 wr 2 a+0:4 wr 2 b+0:4";
  auto reader = trace::make_tiddle_reader(InputFile::from_memory(kTwoRaces));
  const StringId a = reader->tables().strings.intern("a");
  if (a_is_benign) reader->tables().facts.benign = {{{a, 0, 4}, EventIndex{0}}};
  auto stream = trace::TraceStream::open(std::move(reader));
  DriverOptions options;
  options.analyses = *analysis::select_analyses("default");
  return *analyze(std::move(*stream), options);
}

TEST(BenignRanges, AreNeverReportedButCounted) {
  EXPECT_EQ(analyzed(false).findings.size(), 2u);
  const finding::AnalysisResult result = analyzed(true);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].name(), "b+0:4");
  EXPECT_TRUE(result.dismissed.empty());
  ASSERT_FALSE(result.stats.empty());
  EXPECT_EQ(result.stats[0].rules.back().rule, "declared harmless");
  EXPECT_EQ(result.stats[0].rules.back().times, 1u);
}

}  // namespace
}  // namespace foretell::pipeline
