// SPDX-License-Identifier: Apache-2.0

#include "pipeline/driver.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

// A race at the beginning, then much that is in order.
std::string long_trace() {
  std::string text = "wr a x\nwr b x\n";
  for (int i = 0; i < 100'000; ++i) text += "acq a m\nwr a y\nrel a m\n";
  return text;
}

finding::AnalysisResult stopped_in(std::string_view phase) {
  const std::string text = long_trace();
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream);
  std::atomic<bool> stop = false;
  DriverOptions options;
  options.analyses = *analysis::select_analyses("default");
  options.jobs = 1;
  options.stop = &stop;
  options.progress = [&](std::string_view now, double) { stop = stop || now == phase; };
  auto result = analyze(std::move(*stream), options);
  EXPECT_TRUE(result);
  return std::move(*result);
}

TEST(Driver, StoppedWhileItReadsJudgesWhatWasFoundSoFar) {
  const finding::AnalysisResult result = stopped_in("analyze");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].verdict, finding::Verdict::predicted);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].message.find("interrupted after "), std::string::npos);
  EXPECT_EQ(result.warnings[0].exit_code, ExitCode::cut_short);
}

TEST(Driver, ABudgetHoldsForTheLastStepOfAnAnalysisToo) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(
      InputFile::from_memory("wr a x 1\nrd a x 1\nwr b y 2\nrd b y 2\n")));
  ASSERT_TRUE(stream);
  DriverOptions options;
  options.analyses = *analysis::select_analyses("last_writer");
  options.budget = std::chrono::nanoseconds(1);
  const auto result = analyze(std::move(*stream), options);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->warnings.empty());
  EXPECT_EQ(result->warnings.back().message,
            "the budget was used up: last_writer did not look at everything");
}

TEST(Driver, StoppedInALaterPassItStillKnowsHowLongTheTraceIs) {
  const finding::AnalysisResult result = stopped_in("analyze, pass 2");
  EXPECT_EQ(result.trace.events, 300'002u);
  EXPECT_EQ(result.trace.locations, 2u);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings[0].message.find("interrupted in pass 2 over the trace; unfinished: "),
            std::string::npos);
}

TEST(Driver, NobodyStopsItAndThereIsNoWarning) {
  const finding::AnalysisResult result = stopped_in("never");
  EXPECT_EQ(result.trace.events, 300'002u);
  EXPECT_TRUE(result.warnings.empty());
}

}  // namespace
}  // namespace foretell::pipeline
