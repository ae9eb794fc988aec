// SPDX-License-Identifier: Apache-2.0

#include "schedule/place_schedule.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::schedule {
namespace {

std::string complaint_about(std::string_view text) {
  auto parsed = parse_place_schedule(text);
  return parsed ? "parsed" : parsed.error().to_text();
}

std::string places_of(std::string_view tiddle, std::string_view steps, size_t at_end) {
  auto reader = trace::make_tiddle_reader(InputFile::from_memory(tiddle));
  auto column = ThreadColumn::read(*reader);
  auto places = by_places(*parse_schedule(steps), at_end, *reader, *column);
  return places ? places->to_string() : places.error().to_text();
}

TEST(PlaceSchedule, PrintsWhatItReads) {
  for (const std::string text : {"fp1:", "fp1:0x1@a.c:3:1,2x4@b.c:1,1x3,2x*",
                                 "fp1:3<1,4<2:0x1@a.c:3:1,3x*", "fp1:0x1@a%2C b%25%23.c:3"}) {
    auto schedule = parse_place_schedule(text);
    ASSERT_TRUE(schedule) << schedule.error().to_text();
    std::string printed = text;
    std::erase(printed, ' ');
    EXPECT_EQ(schedule->to_string(), printed);
    EXPECT_EQ(*parse_place_schedule(schedule->to_file("a comment\nof two lines")), *schedule);
  }
}

TEST(PlaceSchedule, KeepsEveryCharacterOfAPlace) {
  PlaceSchedule schedule;
  schedule.segments.push_back({.thread = ThreadNumber{1},
                               .end = PlaceSegment::End::at_place,
                               .count = 2,
                               .place = "my file,#1 100%.c:7:1"});
  EXPECT_EQ(schedule.to_string(), "fp1:1x2@my%20file%2C%231%20100%25.c:7:1");
  EXPECT_EQ(*parse_place_schedule(schedule.to_string()), schedule);
}

TEST(PlaceSchedule, SaysWhatIsWrong) {
  EXPECT_NE(complaint_about("ft1:0x1").find("does not begin with fp1:"), std::string::npos);
  for (const std::string wrong : {"0", "x1@a", "0x0@a", "0x1@", "0xy@a", "ax1", "0x1@a%2",
                                  "0x1@%zz", "0x**", "0x1@a,", "0x99999999999999999999@a"}) {
    EXPECT_NE(complaint_about("fp1:" + wrong).find("is not a segment"), std::string::npos) << wrong;
  }
  EXPECT_NE(complaint_about("fp1:1<2:0x1@a").find("younger"), std::string::npos);
}

TEST(PlaceSchedule, IsToldFromOneOfSteps) {
  EXPECT_TRUE(is_place_schedule("# a comment\n\n  fp1:0x1@a"));
  EXPECT_FALSE(is_place_schedule("ft1:0x1"));
  EXPECT_FALSE(is_place_schedule(""));
}

// What a thread is about to do next, and for which time since the segment began.
TEST(PlaceSchedule, NamesWhereEachSegmentEnds) {
  const char* trace =
      "fork 0 1 @m:1\nwr 0 x @m:2\nwr 0 x @m:2\nwr 0 y @m:3\n"
      "wr 1 x @t:1\nrd 1 x @t:2\nwr 1 y\nwr 1 z @t:3\n";
  EXPECT_EQ(places_of(trace, "ft1:0x2.1x1.0x1.1x3", 0), "fp1:0x2@m:2,1x1@t:2,0x1@m:3,1x*");
  EXPECT_EQ(places_of(trace, "ft1:0x1.1x2.0x1", 0), "fp1:0x1@m:2,1x2,0x2@m:2")
      << "the next event has no place: steps are counted";
}

TEST(PlaceSchedule, LeavesTheLastStepsWhatTheyAre) {
  const char* trace = "fork 0 1 @m:1\nwr 0 x @m:2\nwr 1 y @t:1\nwr 1 x @t:2\n";
  EXPECT_EQ(places_of(trace, "ft1:0x1.1x1.0x1.1x1", 2), "fp1:0x1@m:2,1x1@t:2,0x1,1x1");
  EXPECT_EQ(places_of(trace, "ft1:0x1.1x2.0x1", 2), "fp1:0x1@m:2,1x1@t:2,1x1,0x1")
      << "a run that the last steps share is divided";
}

}  // namespace
}  // namespace foretell::schedule
