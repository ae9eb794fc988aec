// SPDX-License-Identifier: Apache-2.0

#include "replay/comparison.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::replay {
namespace {

std::unique_ptr<trace::TraceReader> reader_of(std::string_view text) {
  return trace::make_tiddle_reader(InputFile::from_memory(text));
}

// "12: ..." or "same".
std::string compare(std::string_view recorded, std::vector<uint64_t> witness,
                    std::string_view seen) {
  std::vector<EventIndex> tail;
  for (uint64_t index : witness) tail.push_back(EventIndex{index});
  auto expected = ExpectedRun::open(reader_of(recorded), 0, tail);
  if (!expected) return expected.error().message;
  auto difference = first_difference(*expected, *reader_of(seen));
  EXPECT_TRUE(difference);
  if (!*difference) return "same";
  return fmt::format("{}: {}", (*difference)->step, (*difference)->text);
}

TEST(Comparison, SameStepsUnderOtherNamesAreTheSame) {
  EXPECT_EQ(compare("fork a b\nacq a m\nrel a m\nwr b x\n", {0, 3, 1},
                    "fork p q\nwr q x\nacq p other_lock\n"),
            "same");
}

TEST(Comparison, MoreThanExpectedIsNoDifference) {
  EXPECT_EQ(compare("wr a x\n", {0}, "wr a x\nwr a y\n"), "same");
}

TEST(Comparison, NamesTheBranchAndTheValueThatCausedIt) {
  EXPECT_EQ(compare("rd T2 x 7 @q.cpp:39\nbranch T2 1 @q.cpp:40\n", {0, 1},
                    "rd T2 x 0 @q.cpp:39\nbranch T2 0 @q.cpp:40\n"),
            "2: T2 took the other branch at q.cpp:40 because it read 0, not 7 at q.cpp:39");
}

TEST(Comparison, NamesAnotherOperation) {
  EXPECT_EQ(
      compare("wr a x @q.cpp:3\nacq a m @q.cpp:4\n", {0, 1}, "wr a x @q.cpp:3\nrd a y @q.cpp:9\n"),
      "2: a came to 'read y' at q.cpp:9, not to 'lock m' at q.cpp:4");
}

TEST(Comparison, NamesAnotherThread) {
  EXPECT_EQ(compare("fork a b\nwr b x\n", {0, 1}, "fork a b\nwr a x\n"),
            "2: a ran ('write x'), but it was the turn of b ('write x')");
}

TEST(Comparison, AnotherLockAtTheSamePlaceIsADifference) {
  EXPECT_EQ(compare("acq a m\nrel a m\nacq a m\n", {0, 1, 2}, "acq a m\nrel a m\nacq a n\n"),
            "3: a came to 'lock n', not to 'lock m'");
}

TEST(Comparison, ChildrenAreToldApartByOrderOfCreation) {
  // In the second run the same two children have each other's names.
  EXPECT_EQ(compare("fork a b\nfork a c\nwr c x\n", {0, 1, 2}, "fork a c\nfork a b\nwr b x\n"),
            "same");
  EXPECT_EQ(compare("fork a b\nfork a c\nwr c x\n", {0, 1, 2}, "fork a c\nfork a b\nwr c x\n"),
            "3: c ran ('write x'), but it was the turn of c ('write x')");
}

TEST(Comparison, SaysWhatWasToCome) {
  EXPECT_EQ(compare("wr a x\nacq a m @f.c:2\n", {0, 1}, "wr a x\n"),
            "2: the run ended there; a was to 'lock m' at f.c:2");
}

TEST(Comparison, APrefixIsTakenAsRecorded) {
  auto expected = ExpectedRun::open(reader_of("wr a x\nwr a y\nwr a z\n"), 2, {});
  auto difference = first_difference(*expected, *reader_of("wr a x\nwr a z\n"));
  ASSERT_TRUE(difference && *difference);
  EXPECT_EQ((*difference)->step, 2u);
}

TEST(Comparison, RefusesAWitnessOfAnotherTrace) {
  EXPECT_EQ(compare("wr a x\n", {0, 5}, ""),
            "the witness names events that the trace does not have");
}

}  // namespace
}  // namespace foretell::replay
