// SPDX-License-Identifier: Apache-2.0

// The bounds of the searches for deadlocks: what they leave out is counted and said.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "pipeline/driver.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

finding::AnalysisResult analyzed(const std::string& text, std::string_view analyses) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream) << stream.error().to_text();
  DriverOptions options;
  options.analyses = *analysis::select_analyses(analyses);
  auto result = analyze(std::move(*stream), options);
  EXPECT_TRUE(result) << result.error().to_text();
  return std::move(*result);
}

// Each of n threads takes one lock and then the next one.
std::string philosophers(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += fmt::format("acq {0} l{0}\nacq {0} l{1}\nrel {0} l{1}\nrel {0} l{0}\n", i, (i + 1) % n);
  }
  return text;
}

TEST(DeadlockSearch, FindsARingOfAHundredThreads) {
  for (std::string_view analysis : {"lock_graph", "sync_preserving_deadlocks"}) {
    const finding::AnalysisResult result = analyzed(philosophers(100), analysis);
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_EQ(result.findings[0].events.size(), 100u);
    EXPECT_EQ(result.findings[0].verdict, finding::Verdict::predicted);
    EXPECT_TRUE(result.notes.empty());
  }
}

// Thread 0 holds a lock and waits for a post that comes to it through all others, of whom the last
// one needs the lock.
std::string relay(int n) {
  std::string text = fmt::format("acq {0} m\nrel {0} m\npost {0} s{0}\n", n - 1);
  for (int i = n - 2; i > 0; --i) text += fmt::format("down {0} s{1}\npost {0} s{0}\n", i, i + 1);
  return text + "acq 0 m\ndown 0 s1\nrel 0 m\n";
}

TEST(DeadlockSearch, FindsARelayOfThirtyThreads) {
  const finding::AnalysisResult result = analyzed(relay(30), "wait_graph");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].events.size(), 30u);
  EXPECT_EQ(result.findings[0].verdict, finding::Verdict::predicted);
  EXPECT_TRUE(result.notes.empty());
}

// Every thread waits with a lock of its own in hand and can help every other one: more sets than
// anybody looks at.
TEST(DeadlockSearch, SaysWhatWasLeftOut) {
  constexpr int kThreads = 14;
  std::string text;
  for (int i = 0; i < kThreads; ++i) text += fmt::format("post {0} s\npost {0} s\n", i);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kThreads; ++i) {
      text += fmt::format("acq {0} l{0}\ndown {0} s\npost {0} s\nrel {0} l{0}\n", i);
      text += fmt::format("acq {0} l{1}\nrel {0} l{1}\n", i, (i + 1) % kThreads);
    }
  }
  const finding::AnalysisResult result = analyzed(text, "wait_graph");
  ASSERT_FALSE(result.notes.empty());
  EXPECT_NE(result.notes[0].message.find("wait_graph did not look at all"), std::string::npos)
      << result.notes[0].message;
  std::map<std::string, uint64_t> counts;
  for (const finding::RuleCount& rule : result.stats[0].rules) counts[rule.rule] = rule.times;
  EXPECT_TRUE(counts.contains("search cut off") || counts.contains("proposals cut off"));
}

}  // namespace
}  // namespace foretell::pipeline
