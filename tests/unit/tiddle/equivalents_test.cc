// SPDX-License-Identifier: Apache-2.0

#include "tiddle/equivalents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tiddle/random.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::tiddle {
namespace {

std::vector<std::string> equivalents(const trace::Trace& trace, uint64_t limit = UINT64_MAX) {
  std::vector<std::string> texts;
  auto count = enumerate_equivalents({trace.tables, trace.events}, limit,
                                     [&](std::span<const trace::Event> events) {
                                       std::string text;
                                       for (const trace::Event& e : events) {
                                         print_tiddle_event(e, trace.tables, text);
                                       }
                                       texts.push_back(text);
                                       return true;
                                     });
  EXPECT_TRUE(count);
  EXPECT_EQ(*count, texts.size());
  return texts;
}

std::vector<std::string> equivalents(std::string_view text, uint64_t limit = UINT64_MAX) {
  auto trace = trace::parse_tiddle(text);
  EXPECT_TRUE(trace);
  return equivalents(*trace, limit);
}

EquivalentCount count(std::string_view text, uint64_t limit = UINT64_MAX) {
  auto trace = trace::parse_tiddle(text);
  return *count_equivalents({trace->tables, trace->events}, limit);
}

// The definition itself, for traces of plain accesses, exclusive locks, forks and joins: all
// permutations that keep the order of conflicting operations and are runs.
std::set<std::string> by_permutation(const trace::Trace& trace) {
  auto before = [&](const trace::Event& a, const trace::Event& b) {
    if (a.thread == b.thread) return true;
    const bool locks = operands_of(a.kind) == trace::Operands::Lock &&
                       operands_of(b.kind) == trace::Operands::Lock;
    if (locks && a.object == b.object) return true;
    if (a.kind == trace::EventKind::Fork && a.other_thread() == b.thread) return true;
    return b.kind == trace::EventKind::Join && b.other_thread() == a.thread;
  };
  std::vector<size_t> order(trace.events.size());
  std::iota(order.begin(), order.end(), 0);
  std::set<std::string> found;
  do {
    bool keeps = true;
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t j = i + 1; j < order.size(); ++j) {
        keeps &= order[i] < order[j] || !before(trace.events[order[j]], trace.events[order[i]]);
      }
    }
    if (!keeps) continue;
    std::string text;
    bool starts_at_zero = true;
    std::set<LocationId> written;
    for (size_t i : order) {
      const trace::Event& e = trace.events[i];
      print_tiddle_event(e, trace.tables, text);
      if (e.kind == trace::EventKind::Write) written.insert(e.location());
      const bool reads_value = e.kind == trace::EventKind::Read && e.has_value() && e.value != 0;
      if (reads_value && !written.contains(e.location())) starts_at_zero = false;
    }
    if (starts_at_zero && normalize(*trace::parse_tiddle(text))) found.insert(text);
  } while (std::ranges::next_permutation(order).found);
  return found;
}

TEST(TiddleEquivalents, RaceGoesBothWays) {
  EXPECT_EQ(equivalents("rd 1 x\nwr 2 x 1\n"),
            (std::vector<std::string>{"rd 1 x\nwr 2 x 1\n", "wr 2 x 1\nrd 1 x\n"}));
}

TEST(TiddleEquivalents, OrdersThatContradictTheValuesAreLeftOut) {
  EXPECT_EQ(equivalents("wr 1 x 1\nrd 2 x 1\nwr 1 x 2\n").size(), 1u);
  EXPECT_EQ(count("wr 1 x 1\nrd 2 x 1\nwr 1 x 2\n").count, 1u);
}

TEST(TiddleEquivalents, AReadBeforeTheFirstWriteSeesTheInitialValue) {
  EXPECT_EQ(equivalents("wr 1 x 1\nrd 2 x 1\n"),
            (std::vector<std::string>{"wr 1 x 1\nrd 2 x 1\n"}));
  EXPECT_EQ(count("wr 1 x 1\nrd 2 x 1\n").count, 1u);
  EXPECT_EQ(count("wr 1 x 0\nrd 2 x 0\n").count, 2u);
  EXPECT_EQ(count("awr 1 y\nwr 1 p+0:8 258\nrd 2 p+0:1 2\n").count, 1u);
}

TEST(TiddleEquivalents, TheGivenTraceMayShowAnotherInitialValue) {
  EXPECT_EQ(count("rd 3 x 7\nwr 1 x 7\nrd 2 x 7\n").count, 6u);
  EXPECT_EQ(count("rd 3 x 7\nwr 1 x 8\nrd 2 x 8\n").count, 1u);
}

TEST(TiddleEquivalents, CriticalSectionsKeepTheirOrder) {
  EXPECT_EQ(equivalents("acq 1 m\nwr 1 x\nrel 1 m\nacq 2 m\nrd 2 x\nrel 2 m\n").size(), 1u);
}

TEST(TiddleEquivalents, SharedSectionsDoNot) {
  EXPECT_EQ(count("sacq 1 m\nsrel 1 m\nsacq 2 m\nsrel 2 m\n").count, 6u);
  EXPECT_EQ(count("sacq 1 m\nsrel 1 m\nacq 2 m\nrel 2 m\n").count, 1u);
}

TEST(TiddleEquivalents, ForkAndJoinOrder) {
  EXPECT_EQ(count("fork 1 2\nwr 2 x\njoin 1 2\n").count, 1u);
  EXPECT_EQ(count("fork 1 2\nwr 2 x\nwr 1 x\njoin 1 2\n").count, 2u);
}

TEST(TiddleEquivalents, SynchronizationKeepsItsPartners) {
  EXPECT_EQ(count("acq 1 m\nwait 1 c m\nnotify 2 c\nwake 1 c m\n").count, 1u);
  EXPECT_EQ(count("post 1 s\ndown 2 s\n").count, 1u);
  EXPECT_EQ(count("enter 1 b\nenter 2 b\nleave 1 b\nleave 2 b\n").count, 4u);
}

TEST(TiddleEquivalents, AtomicsConflictUnlessBothRead) {
  EXPECT_EQ(count("awr 1 x\nard 2 x\n").count, 1u);
  EXPECT_EQ(count("ard 1 x\nard 2 x\n").count, 2u);
  EXPECT_EQ(count("awr 1 x\nrd 2 x\n").count, 2u);
}

TEST(TiddleEquivalents, MemoryIsUsedWithinItsLife) {
  EXPECT_EQ(count("alloc 1 p 8\nwr 2 p+0:4\nfree 1 p\nalloc 1 p 8\n").count, 2u);
}

TEST(TiddleEquivalents, RequestsConflictWithNothing) {
  EXPECT_EQ(count("acq 1 m\nreq 2 m\n").count, 2u);
}

TEST(TiddleEquivalents, LimitStopsTheEnumeration) {
  EXPECT_EQ(equivalents("wr 1 x\nwr 2 x\nwr 3 x\n", 4).size(), 4u);
  EXPECT_EQ(equivalents("wr 1 x\nwr 2 x\nwr 3 x\n", 0).size(), 0u);
}

TEST(TiddleEquivalents, SinkStopsTheEnumeration) {
  auto trace = trace::parse_tiddle("wr 1 x\nwr 2 x\n");
  auto n = enumerate_equivalents({trace->tables, trace->events}, 100,
                                 [](std::span<const trace::Event>) { return false; });
  EXPECT_EQ(*n, 1u);
}

TEST(TiddleEquivalents, CountSaysWhenThereAreMore) {
  const EquivalentCount six = count("wr 1 x\nwr 2 x\nwr 3 x\n", 5);
  EXPECT_EQ(six.outcome, CountOutcome::more_than);
  EXPECT_EQ(six.count, 5u);
  EXPECT_EQ(count("wr 1 x\nwr 2 x\nwr 3 x\n", 6).outcome, CountOutcome::exact);
}

TEST(TiddleEquivalents, CountsWhatCouldNeverBeEnumerated) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "wr 1 x\nwr 2 x\n";
  EXPECT_EQ(count(text).count, 118264581564861424u);  // 60 choose 30
}

TEST(TiddleEquivalents, GivesUpOnTooManyStates) {
  auto trace = trace::parse_tiddle("wr 1 x\nwr 1 x\nwr 2 x\nwr 2 x\nwr 3 x\nwr 3 x\n");
  auto counted = count_equivalents({trace->tables, trace->events}, UINT64_MAX, 3);
  EXPECT_EQ(counted->outcome, CountOutcome::gave_up);
}

TEST(TiddleEquivalents, EmptyTraceHasOne) {
  EXPECT_EQ(equivalents("").size(), 1u);
  EXPECT_EQ(count("").count, 1u);
}

TEST(TiddleEquivalents, MalformedTraceIsRefused) {
  auto trace = trace::parse_tiddle("rel 1 m\n");
  EXPECT_FALSE(count_equivalents({trace->tables, trace->events}, 1));
}

TEST(TiddleEquivalents, AgreeWithAllPermutations) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    auto trace = random_trace({.seed = seed,
                               .threads = 3,
                               .events = 7,
                               .locks = 2,
                               .fork_join = seed % 3 == 0,
                               .values = seed % 2 == 0});
    ASSERT_TRUE(trace);
    const auto found = equivalents(*trace);
    const std::set<std::string> distinct(found.begin(), found.end());
    EXPECT_EQ(distinct.size(), found.size()) << print_tiddle(*trace);
    EXPECT_EQ(distinct, by_permutation(*trace)) << print_tiddle(*trace);
    EXPECT_EQ(count_equivalents({trace->tables, trace->events}, UINT64_MAX)->count, found.size());
    EXPECT_EQ(found.front(), print_tiddle(*trace));
  }
}

TEST(TiddleEquivalents, AreRunsForEveryKind) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    auto trace = random_trace(
        {.seed = seed,
         .threads = 3,
         .events = 14,
         .locks = 2,
         .kinds = {"rd", "wr", "acq", "sacq", "wait", "notify", "notifyall", "enter", "post",
                   "down", "rmw", "ard", "tryfail", "stryfail", "alloc", "free"}});
    ASSERT_TRUE(trace);
    for (const std::string& text : equivalents(*trace, 200)) {
      auto normal = normalize(*trace::parse_tiddle(text));
      EXPECT_TRUE(normal) << normal.error().to_text() << text;
    }
  }
}

}  // namespace
}  // namespace foretell::tiddle
