// SPDX-License-Identifier: Apache-2.0

#include "pipeline/witness_steps.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pipeline/driver.h"
#include "trace/synthetic/pcg.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

finding::AnalysisResult analyzed(const std::string& text, uint64_t in_memory_events) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream) << stream.error().to_text();
  DriverOptions options;
  options.analyses = *analysis::select_analyses("default");
  options.in_memory_events = in_memory_events;
  auto result = analyze(std::move(*stream), options);
  EXPECT_TRUE(result) << result.error().to_text();
  return std::move(*result);
}

constexpr uint64_t kInMemory = 1 << 20, kStreaming = 0;

std::vector<size_t> whole(const finding::Witness& witness) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < witness.prefix_end; ++i) indices.push_back(i);
  for (EventIndex index : witness.steps) indices.push_back(to_index(index));
  return indices;
}

TEST(WitnessSteps, PiecesOfARacingAccessAreOneStep) {
  const std::string text = "wr a buf+0:4\nwr a buf+0:16\nwr b buf+8:4\n";
  for (uint64_t mode : {kInMemory, kStreaming}) {
    const finding::AnalysisResult result = analyzed(text, mode);
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_EQ(whole(*result.findings[0].witness), (std::vector<size_t>{0, 1, 2}));
  }
}

TEST(WitnessSteps, ReentrantOperationsComeBack) {
  const std::string text = "acq a m\nacq a m\nrel a m\nwr a x\nrel a m\nacq b n\nacq b n\nrd b x\n";
  for (uint64_t mode : {kInMemory, kStreaming}) {
    const finding::AnalysisResult result = analyzed(text, mode);
    ASSERT_EQ(result.findings.size(), 1u);
    std::set<size_t> steps;
    for (size_t index : whole(*result.findings[0].witness)) steps.insert(index);
    EXPECT_TRUE(steps.contains(1) && steps.contains(2) && steps.contains(6));
  }
}

TEST(WitnessSteps, ADeadlockOverLocksIsFoundWhileTheTracePassesBy) {
  const std::string text =
      "acq a m\nacq a n\nrel a n\nrel a m\nacq b o\nrel b o\nacq b n\nacq b m\nrel b m\nrel b n\n";
  for (uint64_t mode : {kInMemory, kStreaming}) {
    const finding::AnalysisResult result = analyzed(text, mode);
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_EQ(result.findings[0].verdict, finding::Verdict::predicted);
    // What blocks is not in it: events 1 and 7.
    const std::vector<size_t> steps = whole(*result.findings[0].witness);
    EXPECT_EQ(std::set<size_t>(steps.begin(), steps.end()), (std::set<size_t>{0, 4, 5, 6}));
  }
}

TEST(WitnessSteps, ADeadlockOverMoreThanLocksNeedsTheWholeTrace) {
  const std::string text = "acq a m\npost a s\nrel a m\nacq b m\ndown b s\nrel b m\n";
  EXPECT_EQ(analyzed(text, kInMemory).findings.at(0).verdict, finding::Verdict::predicted);
  EXPECT_EQ(analyzed(text, kStreaming).findings.at(0).verdict, finding::Verdict::possible);
}

// A well-formed run of three threads with overlapping ranges and re-entrant locking.
std::string random_run(uint64_t seed) {
  trace::Pcg random(seed);
  std::string text;
  std::map<char, int> depth;
  char holder = 0;
  for (int i = 0; i < 25; ++i) {
    const char thread = static_cast<char>('a' + random.below(3));
    switch (random.below(4)) {
      case 0:
        if (holder != 0 && holder != thread) break;
        holder = thread;
        ++depth[thread];
        text += fmt::format("acq {} m\n", thread);
        break;
      case 1:
        if (holder != thread) break;
        if (--depth[thread] == 0) holder = 0;
        text += fmt::format("rel {} m\n", thread);
        break;
      default:
        text += fmt::format("{} {} buf+{}:{}\n", random.percent(60) ? "wr" : "rd", thread,
                            4 * random.below(4), 4 << random.below(3));
    }
  }
  return text;
}

TEST(WitnessSteps, AreUniqueAndAPrefixOfEveryThread) {
  size_t witnesses = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = random_run(seed);
    auto raw = trace::parse_tiddle(text);
    ASSERT_TRUE(raw);
    std::map<ThreadId, std::vector<size_t>> by_thread;
    for (const trace::Event& e : raw->events) by_thread[e.thread].push_back(to_index(e.index));
    for (uint64_t mode : {kInMemory, kStreaming}) {
      for (const finding::Finding& f : analyzed(text, mode).findings) {
        if (!f.witness) continue;
        ++witnesses;
        const std::vector<size_t> steps = whole(*f.witness);
        EXPECT_EQ(std::set<size_t>(steps.begin(), steps.end()).size(), steps.size()) << text;
        std::map<ThreadId, std::vector<size_t>> taken;
        for (size_t index : steps) taken[raw->events[index].thread].push_back(index);
        for (const auto& [thread, mine] : taken) {
          ASSERT_LE(mine.size(), by_thread[thread].size());
          EXPECT_TRUE(std::equal(mine.begin(), mine.end(), by_thread[thread].begin()))
              << text << "seed " << seed;
        }
        if (f.kind() != finding::FindingKind::race) continue;
        const std::set<size_t> racing(steps.end() - 2, steps.end());
        EXPECT_TRUE(racing.contains(to_index(f.events[0].index)) &&
                    racing.contains(to_index(f.events[1].index)));
      }
    }
  }
  EXPECT_GT(witnesses, 100u);
}

}  // namespace
}  // namespace foretell::pipeline
