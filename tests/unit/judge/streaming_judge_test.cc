#include "judge/streaming_judge.h"

#include "judge/reordering.h"
#include "unit/judge/traces.h"

namespace foretell {
namespace {

PairQuery query_of(const Trace& trace, Position first, Position second) {
  return {trace.events[first].index, trace.events[second].index, trace.events[first].location()};
}

std::vector<StreamingJudgement> judge(const Trace& trace, std::vector<PairQuery> queries,
                                      StreamingJudgeOptions options = {}) {
  StreamingJudge judge(std::move(queries), options);
  // Batches may end anywhere.
  const std::span<const Event> events = trace.events;
  for (size_t i = 0; i < events.size(); i += 3) {
    judge.on_events(events.subspan(i, std::min<size_t>(3, events.size() - i)));
  }
  return judge.finish();
}

// The witness as positions of a trace in memory.
Interleaving positions(const Trace& trace, const PairQuery& query,
                       const StreamingJudgement& judgement) {
  Interleaving order;
  Position first = 0, second = 0;
  auto add_all_of = [&](EventIndex index, Position& racing) {
    for (Position p = 0; p < trace.events.size(); ++p) {
      const Event& e = trace.events[p];
      if (e.index != index) continue;
      racing = p;
      if ((index == query.first || index == query.second) && e.location() == query.location) break;
      order.push_back(p);
    }
  };
  for (Position p = 0; p < trace.events.size(); ++p) {
    if (trace.events[p].index < judgement.prefix_end) order.push_back(p);
  }
  add_all_of(query.first, first);
  Position ignored = 0;
  for (size_t i = 0; i + 2 < judgement.tail.size(); ++i) {
    if (i > 0 && judgement.tail[i] == judgement.tail[i - 1]) continue;
    add_all_of(judgement.tail[i], ignored);
  }
  add_all_of(query.second, second);
  order.push_back(first);
  order.push_back(second);
  return order;
}

// "witness: 0 1 | 3 2 4": the prefix's end, then the tail; or why not.
std::string streamed_verdict(std::string_view text, Position first, Position second,
                             StreamingJudgeOptions options = {}) {
  const Trace trace = trace_of(text);
  const PairQuery query = query_of(trace, first, second);
  const StreamingJudgement result = judge(trace, {query}, options)[0];
  if (result.outcome != JudgeOutcome::witness) return result.reason;
  EXPECT_FALSE(check_race_witness(trace, positions(trace, query, result)));
  std::string out = "before " + std::to_string(to_index(result.prefix_end)) + ":";
  for (EventIndex index : result.tail) out += " " + std::to_string(to_index(index));
  return out;
}

constexpr const char* kDepends = "the second access depends on an event that had to be left out";

TEST(StreamingJudge, NeighborsRace) {
  EXPECT_EQ(streamed_verdict("wr 3 y wr 1 x wr 2 x", 1, 2), "before 1: 1 2");
}

TEST(StreamingJudge, LeavesOutTheFirstThreadAndWhatNeedsIt) {
  EXPECT_EQ(streamed_verdict("wr 1 x wr 1 y rd 3 y wr 3 z wr 2 z wr 2 x", 0, 5), "before 0: 4 0 5");
}

TEST(StreamingJudge, TakesTheLaterSectionOfFigure72First) {
  EXPECT_EQ(streamed_verdict("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x", 0, 5),
            "before 0: 3 4 0 5");
}

TEST(StreamingJudge, DoesNotRunIntoALockHeldAtTheRace) {
  EXPECT_EQ(streamed_verdict("acq 1 l wr 1 x rel 1 l acq 2 l wr 2 x rel 2 l", 1, 4), kDepends);
}

TEST(StreamingJudge, CountsSharedHolders) {
  const char* text = "sacq 1 l sacq 3 l wr 1 x srel 1 l srel 3 l acq 2 l rel 2 l wr 2 x";
  EXPECT_EQ(streamed_verdict(text, 2, 7), kDepends);
  EXPECT_EQ(streamed_verdict("sacq 3 l wr 1 x srel 3 l acq 2 l rel 2 l wr 2 x", 1, 5),
            "before 1: 2 3 4 1 5");
}

TEST(StreamingJudge, ForkAndJoinOrder) {
  EXPECT_EQ(streamed_verdict("wr 1 x fork 1 2 wr 2 x", 0, 2), kDepends);
  EXPECT_EQ(streamed_verdict("fork 1 2 wr 2 x join 1 2 wr 1 x", 1, 3), kDepends);
  EXPECT_EQ(streamed_verdict("fork 3 1 fork 3 2 wr 1 x fork 3 4 wr 4 z join 2 4 wr 2 x", 2, 6),
            "before 2: 3 4 5 2 6");
}

TEST(StreamingJudge, LaterWriteMakesReadsPossibleAgain) {
  EXPECT_EQ(streamed_verdict("wr 1 x wr 1 y wr 3 y rd 2 y wr 2 x", 0, 4), "before 0: 2 3 0 4");
}

TEST(StreamingJudge, NotifyOrdersTheWake) {
  EXPECT_EQ(streamed_verdict("acq 1 l wait 1 c l wr 2 x notify 2 c wake 1 c l wr 1 x", 2, 5),
            kDepends);
  EXPECT_EQ(streamed_verdict("acq 1 l wait 1 c l wr 2 x notify 3 c wake 1 c l wr 1 x", 2, 5),
            "before 2: 3 4 2 5");
}

TEST(StreamingJudge, NotifyStopsWhenItsConditionDiffers) {
  // Thread 2's wait is left out, so thread 3's notify has nobody to wake.
  const char* text =
      "acq 2 l wr 2 x wait 2 c l acq 1 m wait 1 c m notify 3 c #1 wr 3 x wake 1 c m #1";
  EXPECT_EQ(streamed_verdict(text, 1, 6), kDepends);
}

TEST(StreamingJudge, BarrierOrders) {
  EXPECT_EQ(streamed_verdict("wr 1 x enter 1 b enter 2 b leave 2 b wr 2 x", 0, 4), kDepends);
  EXPECT_EQ(streamed_verdict("enter 1 b enter 2 b leave 2 b wr 2 x leave 1 b wr 1 x", 3, 5),
            "before 3: 4 3 5");
}

TEST(StreamingJudge, SemaphoreOrders) {
  EXPECT_EQ(streamed_verdict("wr 1 x post 1 s down 2 s wr 2 x", 0, 3), kDepends);
  EXPECT_EQ(streamed_verdict("wr 1 x post 3 s down 2 s wr 2 x", 0, 3), "before 0: 1 2 0 3");
}

TEST(StreamingJudge, FailedTryNeedsAHolder) {
  EXPECT_EQ(streamed_verdict("wr 1 x acq 1 l tryfail 2 l wr 2 x", 0, 3), kDepends);
  EXPECT_EQ(streamed_verdict("acq 1 l wr 1 x tryfail 2 l wr 2 x", 1, 3), "before 1: 2 1 3");
}

TEST(StreamingJudge, FreeRacesWithAnAccess) {
  EXPECT_EQ(streamed_verdict("alloc 1 h wr 2 h free 3 h", 1, 2), "before 1: 1 2");
  EXPECT_EQ(streamed_verdict("alloc 1 h free 3 h wr 2 h", 1, 2), "before 1: 1 2");
  EXPECT_EQ(streamed_verdict("wr 1 h free 3 h wr 2 h", 0, 2),
            "the memory is freed between the two accesses");
}

TEST(StreamingJudge, AllocationLeftOutTakesItsUsersAlong) {
  EXPECT_EQ(streamed_verdict("wr 1 x alloc 1 h wr 2 h wr 2 x", 0, 3), kDepends);
  EXPECT_EQ(streamed_verdict("wr 2 y wr 1 x alloc 1 h wr 2 y wr 2 x", 1, 4), "before 1: 3 1 4");
}

TEST(StreamingJudge, SaysWhenThePairIsNotThere) {
  const Trace trace = trace_of("wr 1 x wr 2 x");
  const LocationId x = trace.events[0].location();
  auto results =
      judge(trace, {{EventIndex{0}, EventIndex{9}, x}, {EventIndex{7}, EventIndex{9}, x}});
  EXPECT_EQ(results[0].reason, "the trace ends before the second access");
  EXPECT_EQ(results[1].reason, "the trace has no such pair of accesses");
}

TEST(StreamingJudge, LimitsOpenPairsAndTails) {
  const Trace trace = trace_of("wr 1 x wr 1 x wr 2 x");
  auto results =
      judge(trace, {query_of(trace, 0, 2), query_of(trace, 1, 2)}, {.most_open_pairs = 1});
  EXPECT_EQ(results[0].outcome, JudgeOutcome::witness);
  EXPECT_EQ(results[1].reason, "1 other pairs were being judged at the same time");
  EXPECT_EQ(streamed_verdict("wr 1 x wr 3 y wr 3 y wr 2 x", 0, 3, {.longest_tail = 1}),
            "the interleaving between the two accesses is too long");
  EXPECT_EQ(streamed_verdict("wr 1 x wr 1 y wr 1 z wr 2 x", 0, 3, {.most_left_out = 2}),
            "too much had to be left out between the two accesses");
}

TEST(StreamingJudge, WitnessesOfRandomTracesAreValid) {
  RandomTraces random(5);
  int witnesses = 0, races = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string text = random.next(6 + static_cast<size_t>(i) % 10, 2 + i % 3u);
    const Trace trace = trace_of(text);
    std::vector<std::pair<Position, Position>> pairs;
    std::vector<PairQuery> queries;
    for (Position a = 0; a < trace.events.size(); ++a) {
      for (Position b = a + 1; b < trace.events.size(); ++b) {
        if (!clash(trace.events[a], trace.events[b])) continue;
        pairs.emplace_back(a, b);
        queries.push_back(query_of(trace, a, b));
      }
    }
    const auto results = judge(trace, queries);
    const Judge exact(trace);
    for (size_t q = 0; q < queries.size(); ++q) {
      if (exact.race(pairs[q].first, pairs[q].second).outcome == JudgeOutcome::witness) ++races;
      if (results[q].outcome != JudgeOutcome::witness) continue;
      const Interleaving order = positions(trace, queries[q], results[q]);
      auto violation = check_race_witness(trace, order);
      ASSERT_FALSE(violation) << violation->reason << "\n" << text;
      ASSERT_EQ(order[order.size() - 2], pairs[q].first);
      ASSERT_EQ(order.back(), pairs[q].second);
      ++witnesses;
    }
  }
  // Most races need no more than this.
  EXPECT_GT(races, 1000);
  EXPECT_GT(witnesses, races / 2);
}

}  // namespace
}  // namespace foretell
