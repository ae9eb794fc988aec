// SPDX-License-Identifier: Apache-2.0

#include "pipeline/needed_analyses.h"

#include <gtest/gtest.h>

#include "base/split.h"
#include "pipeline/driver.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

finding::AnalysisResult analyzed_by(const std::string& text, std::string_view analyses) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream) << stream.error().to_text();
  DriverOptions options;
  options.analyses = *analysis::select_analyses(analyses);
  auto result = analyze(std::move(*stream), options);
  EXPECT_TRUE(result) << result.error().to_text();
  return std::move(*result);
}

std::string note_of(const std::string& text, std::string_view analyses) {
  const finding::AnalysisResult result = analyzed_by(text, analyses);
  return result.notes.empty() ? "" : result.notes[0].message;
}

constexpr const char* kRace = "wr a x\nwr b x\n";
constexpr const char* kNoRace = "wr a x\nwr b y\n";

TEST(NeededAnalyses, TheFirstThatWouldDoRunsBesidesAndReportsNothing) {
  const finding::AnalysisResult result = analyzed_by(kRace, "sidetrack");
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0].message,
            "sidetrack assumes that there are no data races, but this run has some (fasttrack): "
            "what only sidetrack says may be wrong");
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.stats.size(), 1u);
}

TEST(NeededAnalyses, OneThatIsSelectedIsAskedInstead) {
  EXPECT_NE(note_of(kRace, "sidetrack,djit").find("but this run has some (djit)"),
            std::string::npos);
  EXPECT_EQ(
      note_of(kNoRace, "sidetrack,happens_before"),
      "sidetrack assumes that there are no data races; happens_before found none in this run");
}

TEST(NeededAnalyses, NobodyNeedsAnythingAndNothingIsSaid) {
  EXPECT_EQ(note_of(kRace, "velodrome"), "");
}

// Which the driver relies on.
TEST(Registry, NeedsNameAnalysesThatThereAre) {
  for (const analysis::AnalysisEntry& entry : analysis::all_analyses()) {
    if (entry.needs.empty()) continue;
    for (std::string_view name : split(entry.needs, '|')) {
      EXPECT_NE(analysis::find_analysis(name), nullptr) << entry.name << " needs " << name;
    }
  }
}

// The accesses race, so that the read may see another write is no news.
TEST(YieldsTo, WhatARaceExplainsIsNotReportedAgain) {
  const std::string text = "fork m a\nfork m b\nwr a x 1\nwr b x 2\njoin m a\njoin m b\nrd m x 2\n";
  auto kinds = [&](std::string_view analyses) {
    std::vector<finding::FindingKind> found;
    for (const finding::Finding& f : analyzed_by(text, analyses).findings)
      found.push_back(f.kind());
    return found;
  };
  EXPECT_EQ(kinds("last_writer"), std::vector{finding::FindingKind::nondeterminism});
  EXPECT_EQ(kinds("last_writer,fasttrack"), std::vector{finding::FindingKind::race});
}

}  // namespace
}  // namespace foretell::pipeline
