// SPDX-License-Identifier: Apache-2.0

// The generator makes what it promises: runs, of every kind of event, that survive their text.
#include <gtest/gtest.h>

#include <array>

#include "property.h"
#include "semantics.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::oracle {
namespace {

class GeneratorTest : public testing::TestWithParam<Profile> {};

TEST_P(GeneratorTest, EveryTraceNormalizes) {
  for (uint64_t i = 0; i < trace_count(1000); ++i) {
    const Events events = nth_trace(GetParam(), i);
    const auto normal = normalize(to_trace(events));
    ASSERT_TRUE(normal) << print_tiddle(to_trace(events)) << normal.error().to_text();
  }
}

TEST_P(GeneratorTest, EveryPrefixNormalizes) {
  for (uint64_t i = 0; i < 100; ++i) {
    Events events = nth_trace(GetParam(), i);
    while (!events.empty()) {
      events.pop_back();
      ASSERT_TRUE(normalize(to_trace(events))) << print_tiddle(to_trace(events));
    }
  }
}

TEST_P(GeneratorTest, EveryTraceIsAReorderingOfItself) {
  for (uint64_t i = 0; i < trace_count(1000); ++i) {
    const trace::Trace raw = to_trace(nth_trace(GetParam(), i));
    const auto normal = normalize(to_trace(nth_trace(GetParam(), i)));
    ASSERT_TRUE(normal);
    ASSERT_TRUE(Semantics(*normal).is_reordering_of_itself()) << print_tiddle(raw);
  }
}

TEST_P(GeneratorTest, TextOfATraceReadsBackAsTheSameEvents) {
  for (uint64_t i = 0; i < trace_count(1000); ++i) {
    const trace::Trace raw = to_trace(nth_trace(GetParam(), i));
    const std::string text = print_tiddle(raw);
    const auto again = trace::parse_tiddle(text);
    ASSERT_TRUE(again) << text << again.error().to_text();
    ASSERT_EQ(raw.events, again->events) << text;
    ASSERT_EQ(text, print_tiddle(*again));
  }
}

TEST_P(GeneratorTest, SameNumberIsSameTrace) {
  EXPECT_EQ(nth_trace(GetParam(), 7), nth_trace(GetParam(), 7));
  EXPECT_NE(nth_trace(GetParam(), 7), nth_trace(GetParam(), 8));
}

INSTANTIATE_TEST_SUITE_P(Profiles, GeneratorTest, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(GeneratorTest, EverythingHasEveryKindOfEvent) {
  std::array<uint32_t, trace::kEventKindCount> seen{};
  for (uint64_t i = 0; i < 2000; ++i) {
    for (const trace::Event& e : nth_trace(everything_profile(), i))
      ++seen[static_cast<size_t>(e.kind)];
  }
  for (size_t kind = 0; kind < trace::kEventKindCount; ++kind) {
    EXPECT_GE(seen[kind], 40u) << word_of(trace::EventKind{static_cast<uint8_t>(kind)});
  }
}

// Counts traces of a profile that have what `holds` looks for.
template <class Predicate>
size_t count_traces(const Profile& profile, size_t tried, Predicate holds) {
  size_t count = 0;
  for (uint64_t i = 0; i < tried; ++i) {
    const trace::Trace raw = to_trace(nth_trace(profile, i));
    const auto normal = normalize(to_trace(nth_trace(profile, i)));
    if (normal && holds(raw, *normal)) ++count;
  }
  return count;
}

template <class Predicate>
bool any_event(const trace::Trace& trace, Predicate holds) {
  return std::ranges::any_of(trace.events, holds);
}

TEST(GeneratorTest, SyncHasServedAndSpuriousWakes) {
  auto wakes = [](bool served) {
    return [served](const trace::Trace&, const trace::Trace& normal) {
      return any_event(normal, [&](const trace::Event& e) {
        return e.kind == trace::EventKind::WaitEnd && (e.partner() != kNoEvent) == served;
      });
    };
  };
  EXPECT_GE(count_traces(sync_profile(), 2000, wakes(true)), 40u);
  EXPECT_GE(count_traces(sync_profile(), 2000, wakes(false)), 40u);
}

TEST(GeneratorTest, SyncHasTicketsAndGoesWithout) {
  auto wakes = [](auto wanted) {
    return [wanted](const trace::Trace& raw, const trace::Trace&) {
      return any_event(raw, [&](const trace::Event& e) {
        return e.kind == trace::EventKind::WaitEnd && wanted(e.value);
      });
    };
  };
  auto ticket = [](uint64_t v) {
    return v != trace::Event::kUnknown && v != trace::Event::kNoPartner;
  };
  auto none = [](uint64_t v) { return v == trace::Event::kUnknown; };
  EXPECT_GE(count_traces(sync_profile(), 2000, wakes(ticket)), 40u);
  EXPECT_GE(count_traces(sync_profile(), 2000, wakes(none)), 40u);
}

TEST(GeneratorTest, SyncHasBarriersOfSeveralGenerations) {
  auto second_round = [](const trace::Trace&, const trace::Trace& normal) {
    return any_event(normal, [](const trace::Event& e) {
      return e.kind == trace::EventKind::BarrierEnter && e.generation() > 0;
    });
  };
  EXPECT_GE(count_traces(sync_profile(), 2000, second_round), 10u);
}

TEST(GeneratorTest, SemaphoresServeFromPostsAndFromTheInitialCount) {
  auto downs = [](bool served) {
    return [served](const trace::Trace&, const trace::Trace& normal) {
      return any_event(normal, [&](const trace::Event& e) {
        return e.kind == trace::EventKind::SemaphoreWait && (e.partner() != kNoEvent) == served;
      });
    };
  };
  EXPECT_GE(count_traces(sync_profile(), 1000, downs(true)), 40u);
  EXPECT_GE(count_traces(sync_profile(), 1000, downs(false)), 40u);
}

TEST(GeneratorTest, ReentrantLockingIsFoldedAway) {
  auto folded = [](const trace::Trace& raw, const trace::Trace& normal) {
    auto locks = [](const trace::Trace& t) {
      return std::ranges::count(t.events, trace::EventKind::Acquire, &trace::Event::kind);
    };
    return locks(normal) < locks(raw);
  };
  EXPECT_GE(count_traces(lock_profile(), 1000, folded), 40u);
}

TEST(GeneratorTest, OverlappingRangesAreSplit) {
  auto split = [](const trace::Trace& raw, const trace::Trace& normal) {
    return std::ranges::count(normal.events, trace::EventKind::Write, &trace::Event::kind) >
           std::ranges::count(raw.events, trace::EventKind::Write, &trace::Event::kind);
  };
  EXPECT_GE(count_traces(everything_profile(), 2000, split), 40u);
}

TEST(GeneratorTest, MemoryHasSeveralLives) {
  auto again = [](const trace::Trace& raw, const trace::Trace&) {
    return std::ranges::count(raw.events, trace::EventKind::Alloc, &trace::Event::kind) > 1;
  };
  EXPECT_GE(count_traces(everything_profile(), 2000, again), 40u);
}

TEST(GeneratorTest, ShrinkingReachesASmallestTraceThatStillFails) {
  // "Fails" if two threads acquire a lock: the least such trace has acq rel acq.
  auto two_lockers = [](const Events& events) {
    const auto normal = well_formed(events);
    if (!normal) return false;
    std::optional<ThreadId> first;
    for (const trace::Event& e : normal->events) {
      if (e.kind != trace::EventKind::Acquire || to_index(e.lock()) != 0) continue;
      if (first && *first != e.thread) return true;
      if (!first) first = e.thread;
    }
    return false;
  };
  size_t shrunk = 0;
  for (uint64_t i = 0; i < 200 && shrunk < 10; ++i) {
    Events events = nth_trace(race_profile(), i);
    if (!two_lockers(events)) continue;
    for (bool found = true; found;) {
      found = false;
      for (const Events& fewer : smaller(events)) {
        if (!two_lockers(fewer)) continue;
        events = fewer;
        found = true;
        break;
      }
    }
    EXPECT_EQ(events.size(), 3u) << print_tiddle(to_trace(events));
    ++shrunk;
  }
  EXPECT_GE(shrunk, 1u);
}

}  // namespace
}  // namespace foretell::oracle
