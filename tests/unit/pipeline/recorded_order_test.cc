// SPDX-License-Identifier: Apache-2.0

#include "pipeline/recorded_order.h"

#include <gtest/gtest.h>

#include "unit/analysis/race_fixture.h"

namespace foretell::pipeline {
namespace {

class Watched {
 public:
  Watched(std::string_view text, uint64_t first, uint64_t second, bool with_locks = true)
      : trace_(analysis::trace_of(text)),
        watch_(EventIndex{first}, EventIndex{second}, with_locks) {
    watch_.on_events(trace_.events);
  }
  finding::RecordedOrder::Kind kind() const { return watch_.kind(); }
  uint64_t steps_between() const { return watch_.steps_between(); }
  // "2>3(m) 4>5"
  std::string path() const {
    std::string text;
    for (const OrderWatch::Edge& edge : watch_.path()) {
      if (!text.empty()) text += ' ';
      text += std::to_string(to_index(edge.from)) + '>' + std::to_string(to_index(edge.to));
      if (edge.lock) text += '(' + std::string(trace_.tables.locks[*edge.lock]) + ')';
    }
    return text;
  }

 private:
  trace::Trace trace_;
  OrderWatch watch_;
};

using Kind = finding::RecordedOrder::Kind;

TEST(RecordedOrder, NamesTheLockThatOrderedThem) {
  const Watched order("wr a x\nacq a m\nrel a m\nacq b m\nrel b m\nrd b x\n", 0, 5);
  EXPECT_EQ(order.kind(), Kind::ordered);
  EXPECT_EQ(order.path(), "2>3(m)");
  EXPECT_EQ(order.steps_between(), 4u);
}

TEST(RecordedOrder, KnowsThatNothingOrderedThem) {
  const Watched order("wr a x\nacq a m\nrel a m\nacq b n\nrel b n\nrd b x\n", 0, 5);
  EXPECT_EQ(order.kind(), Kind::unordered);
  EXPECT_EQ(order.path(), "");
}

TEST(RecordedOrder, FollowsOtherThreads) {
  EXPECT_EQ(Watched("wr a x\nfork a c\nacq c m\nrel c m\nacq b m\nrd b x\n", 0, 5).path(),
            "1>2 3>4(m)");
  EXPECT_EQ(Watched("fork a c\nwr c x\nacq c m\nrel c m\njoin a c\nrd a x\n", 1, 5).path(), "3>4");
}

TEST(RecordedOrder, FollowsEveryKindOfEdge) {
  EXPECT_EQ(Watched("wr a x\npost a s\ndown b s\nrd b x\n", 0, 3).path(), "1>2");
  EXPECT_EQ(Watched("wr a x\nenter a g\nenter b g\nleave b g\nleave a g\nrd b x\n", 0, 5).path(),
            "1>3");
  EXPECT_EQ(Watched("acq b m\nwait b c m\nwr a x\nnotify a c\nwake b c m\nrd b x\n", 2, 5).path(),
            "3>4");
  EXPECT_EQ(Watched("wr a x\nawr a f\nard b f\nrd b x\n", 0, 3).path(), "1>2");
}

TEST(RecordedOrder, ReadersOfALockDoNotOrderEachOther) {
  EXPECT_EQ(Watched("sacq a m\nwr a x\nsrel a m\nsacq b m\nrd b x\n", 1, 4).kind(),
            Kind::unordered);
  EXPECT_EQ(Watched("sacq a m\nwr a x\nsrel a m\nacq b m\nrd b x\n", 1, 4).path(), "2>3(m)");
}

TEST(RecordedOrder, WithoutLocksOnlyWhatEveryScheduleHas) {
  constexpr std::string_view kRead = "wr a x\nwr a y\nacq a m\nrel a m\nacq b m\nrd b y\nrd b x\n";
  EXPECT_EQ(Watched(kRead, 0, 6).path(), "3>4(m)");
  EXPECT_EQ(Watched(kRead, 0, 6, false).path(), "1>5");
  EXPECT_EQ(Watched("wr a x\nwr a y\nwr c y\nrd b y\nrd b x\n", 0, 4, false).kind(),
            Kind::unordered);
  EXPECT_EQ(Watched("wr a x\nfork a b\nrd b x\n", 0, 2, false).path(), "1>2");
}

TEST(RecordedOrder, SaysNothingAboutWeakOrders) {
  EXPECT_EQ(Watched("wr a x\nawr a f rlx\nard b f\nrd b x\n", 0, 3).kind(), Kind::unknown);
  EXPECT_EQ(Watched("wr a x\nfence a\nwr b y\nrd b x\n", 0, 3).kind(), Kind::unknown);
}

TEST(RecordedOrder, ALockTakenBeforeTheFirstAccessOrdersNothing) {
  EXPECT_EQ(Watched("acq a m\nrel a m\nacq b m\nwr a x\nrel b m\nrd b x\n", 3, 5).kind(),
            Kind::unordered);
}

}  // namespace
}  // namespace foretell::pipeline
