#include "analysis/recorded_order.h"

#include <gtest/gtest.h>

#include "unit/analysis/race_fixture.h"

namespace foretell {
namespace {

RecordedOrder order_of(std::string_view text, uint64_t first, uint64_t second) {
  const Trace trace = trace_of(text);
  OrderWatch watch(EventIndex{first}, EventIndex{second});
  watch.on_events(trace.events);
  return watch.result(trace.tables);
}

using Kind = RecordedOrder::Kind;

TEST(RecordedOrder, NamesTheLockThatOrderedThem) {
  const RecordedOrder order =
      order_of("wr a x\nacq a m\nrel a m\nacq b m\nrel b m\nrd b x\n", 0, 5);
  EXPECT_EQ(order.kind, Kind::lock);
  EXPECT_EQ(order.lock, "m");
  EXPECT_EQ(order.steps_between, 4u);
}

TEST(RecordedOrder, KnowsThatNothingOrderedThem) {
  EXPECT_EQ(order_of("wr a x\nacq a m\nrel a m\nacq b n\nrel b n\nrd b x\n", 0, 5).kind,
            Kind::unordered);
}

TEST(RecordedOrder, SaysNothingAboutOrderThroughOthers) {
  EXPECT_EQ(order_of("wr a x\nfork a c\nacq c m\nrel c m\nacq b m\nrd b x\n", 0, 5).kind,
            Kind::unknown);
  EXPECT_EQ(order_of("wr a x\nawr a f\nard b f\nrd b x\n", 0, 3).kind, Kind::unknown);
  EXPECT_EQ(order_of("wr a x\nfence a\nwr b y\nrd b x\n", 0, 3).kind, Kind::unknown);
}

TEST(RecordedOrder, ALockTakenBeforeTheFirstAccessOrdersNothing) {
  EXPECT_EQ(order_of("acq a m\nrel a m\nacq b m\nwr a x\nrel b m\nrd b x\n", 3, 5).kind,
            Kind::unordered);
}

}  // namespace
}  // namespace foretell
