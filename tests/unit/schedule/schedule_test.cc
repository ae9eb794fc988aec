// SPDX-License-Identifier: Apache-2.0

#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "unit/schedule/random_schedule.h"

namespace foretell::schedule {
namespace {

std::string error_of(std::string_view text) {
  auto parsed = parse_schedule(text);
  return parsed ? "parsed" : parsed.error().to_text();
}

TEST(Schedule, PrintsRunsOfThreads) {
  Schedule schedule;
  schedule.append(ThreadNumber{0}, 12);
  schedule.append(ThreadNumber{2}, 1);
  schedule.append(ThreadNumber{2}, 2);
  schedule.append(ThreadNumber{1});
  EXPECT_EQ(schedule.to_string(), "ft1:0x12.2x3.1x1");
  EXPECT_EQ(schedule.switches(), 2u);
  EXPECT_EQ(schedule.steps(), 16u);
}

TEST(Schedule, ReadsParents) {
  auto schedule = parse_schedule("ft1:4<2,3<1:0x1.3x1");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->to_string(), "ft1:3<1,4<2:0x1.3x1");
}

TEST(Schedule, LeavesOutThreadZeroAsParent) {
  EXPECT_EQ(parse_schedule("ft1:2<0,3<1:0x1")->to_string(), "ft1:3<1:0x1");
}

TEST(Schedule, ReadsItsFileForm) {
  auto schedule = parse_schedule("# race-1\nft1:0x1 .\n  # two\n 1x2.\r\n2x3\n");
  ASSERT_TRUE(schedule) << schedule.error().to_text();
  EXPECT_EQ(schedule->to_string(), "ft1:0x1.1x2.2x3");
}

TEST(Schedule, JoinsNeighborsOfOneThread) {
  EXPECT_EQ(parse_schedule("ft1:0x1.0x2.1x1")->to_string(), "ft1:0x3.1x1");
}

TEST(Schedule, MayBeEmpty) {
  auto schedule = parse_schedule("ft1:");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->steps(), 0u);
  EXPECT_EQ(schedule->switches(), 0u);
}

TEST(Schedule, TruncatesInsideARun) {
  EXPECT_EQ(parse_schedule("ft1:0x3.1x4.0x1")->truncated(5).to_string(), "ft1:0x3.1x2");
  EXPECT_EQ(parse_schedule("ft1:0x3")->truncated(9).to_string(), "ft1:0x3");
}

TEST(Schedule, KeepsWhichAccessesItCounts) {
  const auto schedule = parse_schedule("ft2:3<1:0x2.3x1");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->counted, Counted::contended_accesses);
  EXPECT_EQ(schedule->truncated(2).to_string(), "ft2:3<1:0x2");
  EXPECT_NE(*schedule, *parse_schedule("ft1:3<1:0x2.3x1"));
}

TEST(Schedule, NamesAnotherVersion) {
  EXPECT_EQ(error_of("ft3:0x1"),
            "error: schedule has format ft3, which this version of Foretell does not support\n"
            "note: it reads ft1 and ft2; use the version of Foretell that wrote the schedule\n");
}

TEST(Schedule, RefusesWhatIsNoSchedule) {
  EXPECT_NE(error_of("race-1").find("'race-1' does not begin with ft1:"), std::string::npos);
  EXPECT_NE(error_of("").find("is not a schedule"), std::string::npos);
  EXPECT_NE(error_of("ft1:0y3").find("'0y3' is not a run"), std::string::npos);
  EXPECT_NE(error_of("ft1:0x0").find("'0x0' is not a run"), std::string::npos);
  EXPECT_NE(error_of("ft1:0x1.").find("'' is not a run"), std::string::npos);
  EXPECT_NE(error_of("ft1:0x-1").find("'0x-1' is not a run"), std::string::npos);
  EXPECT_NE(error_of("ft1:99999999999x1").find("is not a run"), std::string::npos);
  EXPECT_NE(error_of("ft1:3:0x1").find("'3' is not a parent"), std::string::npos);
  EXPECT_NE(error_of("ft1:1<3:0x1").find("which is younger"), std::string::npos);
  EXPECT_NE(error_of("ft1:3<1,3<2:0x1").find("thread 3 has two parents"), std::string::npos);
  EXPECT_NE(error_of("ft1:0x18446744073709551615.1x1").find("more steps than"), std::string::npos);
}

TEST(Schedule, ComesBackFromBothForms) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    trace::Pcg random(seed);
    const Schedule schedule = random_schedule(random, 60);
    auto from_string = parse_schedule(schedule.to_string());
    auto from_file = parse_schedule(schedule.to_file("seed\nof the test"));
    ASSERT_TRUE(from_string && from_file) << schedule.to_string();
    EXPECT_EQ(*from_string, schedule);
    EXPECT_EQ(*from_file, schedule);
  }
}

TEST(Schedule, WritesShortLines) {
  Schedule schedule;
  for (uint32_t i = 0; i < 500; ++i) schedule.append(ThreadNumber{i % 7}, 1 + i);
  const std::string file = schedule.to_file("a comment");
  size_t begin = 0;
  for (size_t end; (end = file.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(end - begin, 101u);
  }
}

}  // namespace
}  // namespace foretell::schedule
