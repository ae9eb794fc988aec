// SPDX-License-Identifier: Apache-2.0

#include "schedule/thread_column.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::schedule {
namespace {

ThreadColumn column_of(std::string_view tiddle) {
  auto reader = trace::make_tiddle_reader(InputFile::from_memory(tiddle));
  return *ThreadColumn::read(*reader);
}

TEST(ThreadColumn, IsTheRunLengthEncodingOfATrace) {
  const ThreadColumn column = column_of("wr a x\nfork a b\nwr b x\nwr a x\n");
  EXPECT_EQ(column.whole().to_string(), "ft1:0x2.1x1.0x1");
  EXPECT_EQ(column.prefix(3).to_string(), "ft1:0x2.1x1");
  EXPECT_EQ(column.prefix(0).to_string(), "ft1:");
}

TEST(ThreadColumn, NumbersInOrderOfCreation) {
  // c runs before b, but is created after it, by b's sibling d.
  const ThreadColumn column = column_of("fork a b\nfork a d\nfork d c\nwr c x\nwr b x\nwr d x\n");
  EXPECT_EQ(column.whole().to_string(), "ft1:3<2:0x2.2x1.3x1.1x1.2x1");
  EXPECT_EQ(column.rank_of(column.thread_of(EventIndex{5})), 1u);
}

TEST(ThreadColumn, TakesTheNumbersOfARecording) {
  // A run under a schedule may create T2 before T1.
  EXPECT_EQ(column_of("fork T0 T2\nfork T0 T1\nfork T2 T3\nwr T1 x\nwr T3 x\n").whole().to_string(),
            "ft1:3<2:0x2.2x1.1x1.3x1");
}

TEST(ThreadColumn, TurnsAWitnessIntoASchedule) {
  const ThreadColumn column = column_of("fork a b\nwr a x\nwr a y\nwr b y\nwr b x\n");
  const EventIndex tail[] = {EventIndex{3}, EventIndex{1}, EventIndex{4}};
  EXPECT_EQ(column.of_witness(1, tail).to_string(), "ft1:0x1.1x1.0x1.1x1");
}

TEST(ThreadColumn, TakesStepsThatAWitnessLeavesOut) {
  const ThreadColumn column =
      column_of("fork a b\nwr a p\nwr a q\nwr a x\nwr b r\nwr b x\nwr a s\nwr b t\n");
  const EventIndex race[] = {EventIndex{3}, EventIndex{5}};
  // b's step before the race comes before a's last one, not between the two.
  EXPECT_EQ(column.of_witness(1, race, 2).to_string(), "ft1:0x3.1x1.0x1.1x1");
  EXPECT_EQ(column.of_witness(1, race).to_string(), "ft1:0x4.1x2");
  const EventIndex order[] = {EventIndex{5}, EventIndex{3}};
  EXPECT_EQ(column.of_witness(2, order).to_string(), "ft1:0x2.1x2.0x2");
}

TEST(ThreadColumn, TakesStepsThatAWitnessLeavesOutInTheMiddleOfARun) {
  const ThreadColumn column = column_of("wr a p\nwr a q\nwr a x\nwr b x\nwr a y\n");
  const EventIndex tail[] = {EventIndex{3}, EventIndex{4}};
  EXPECT_EQ(column.of_witness(1, tail).to_string(), "ft1:0x1.1x1.0x3");
}

}  // namespace
}  // namespace foretell::schedule
