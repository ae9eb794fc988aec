// SPDX-License-Identifier: Apache-2.0

#include "tiddle/random.h"

#include <gtest/gtest.h>

#include <set>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::tiddle {
namespace {

std::vector<std::string> every_kind() {
  std::vector<std::string> words;
  for (size_t i = 0; i < trace::kEventKindCount; ++i) {
    words.emplace_back(word_of(static_cast<trace::EventKind>(i)));
  }
  return words;
}

TEST(TiddleRandom, SameSeedSameTraceOnEveryMachine) {
  EXPECT_EQ(print_tiddle(*random_trace({.seed = 7, .events = 6})),
            "acq 2 m0\nwr 1 x0 86\nwr 2 x0 91\nrd 1 x0 91\nrel 2 m0\nwr 2 x1 14\n");
}

TEST(TiddleRandom, SeedsDiffer) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 20; ++seed)
    texts.insert(print_tiddle(*random_trace({.seed = seed})));
  EXPECT_EQ(texts.size(), 20u);
}

TEST(TiddleRandom, EveryKindStaysWellFormedAndOfTheLengthAskedFor) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    auto trace = random_trace({.seed = seed,
                               .threads = 1 + static_cast<uint32_t>(seed % 5),
                               .events = 80,
                               .variables = 3,
                               .locks = 3,
                               .nesting = 3,
                               .fork_join = seed % 2 == 0,
                               .kinds = every_kind()});
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->events.size(), 80u);
    const std::string text = print_tiddle(*trace);
    auto normal = normalize(*trace::parse_tiddle(text));
    EXPECT_TRUE(normal) << seed << ' ' << normal.error().to_text() << text;
  }
}

TEST(TiddleRandom, EveryKindOccurs) {
  std::set<trace::EventKind> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto trace = random_trace({.seed = seed,
                               .threads = 4,
                               .events = 200,
                               .locks = 3,
                               .fork_join = true,
                               .kinds = every_kind()});
    for (const trace::Event& e : trace->events) seen.insert(e.kind);
  }
  EXPECT_EQ(seen.size(), trace::kEventKindCount);
}

TEST(TiddleRandom, OnlyKindsAskedForOccur) {
  auto trace = random_trace({.events = 100, .kinds = {"rd", "wr"}});
  for (const trace::Event& e : trace->events) EXPECT_TRUE(is_plain_access(e.kind));
}

TEST(TiddleRandom, SectionsAreClosedAtTheEnd) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto trace = random_trace({.seed = seed, .events = 40, .locks = 2});
    int open = 0;
    for (const trace::Event& e : trace->events) {
      open += e.kind == trace::EventKind::Acquire   ? 1
              : e.kind == trace::EventKind::Release ? -1
                                                    : 0;
    }
    EXPECT_EQ(open, 0) << print_tiddle(*trace);
  }
}

TEST(TiddleRandom, ForkJoinForksAndJoinsEveryThread) {
  auto trace = random_trace({.threads = 3, .events = 40, .fork_join = true});
  const std::string text = print_tiddle(*trace);
  for (const char* line : {" 2\n", " 3\n"}) {
    EXPECT_NE(text.find(std::string("fork 1") + line), std::string::npos) << text;
    EXPECT_NE(text.find(std::string("join 1") + line), std::string::npos) << text;
  }
}

TEST(TiddleRandom, UnknownKindIsRefused) {
  EXPECT_EQ(random_trace({.kinds = {"read"}}).error().message, "unknown operation 'read'");
}

}  // namespace
}  // namespace foretell::tiddle
