// SPDX-License-Identifier: Apache-2.0

#include "report/lanes.h"

#include <gtest/gtest.h>

namespace foretell::report {
namespace {

finding::DescribedEvent step(std::string thread, std::string operation, std::string object,
                             std::string site = "") {
  return {.thread = std::move(thread),
          .operation = finding::operation_named(operation).value(),
          .object = std::move(object),
          .site = std::move(site)};
}

finding::Witness witness_of(std::vector<finding::DescribedEvent> steps, uint64_t prefix_end = 0) {
  finding::Witness witness{.prefix_end = prefix_end, .last_steps = steps};
  witness.steps.resize(steps.size());
  return witness;
}

TEST(Lanes, RacingAccessesStandSideBySide) {
  EXPECT_EQ(
      draw_lanes(witness_of({step("1", "acq", "m"), step("1", "wr", "x"), step("2", "rd", "x")})),
      "        thread 1                            thread 2\n"
      "     1  acq m\n"
      "     2  wr x                                <--> rd x\n");
}

TEST(Lanes, LeavesOutTheSiteWhereTheLaneIsNarrow) {
  const std::string site = "some/folder/with/a/long_name_of_a_file.cpp:100:20";
  const std::string text = draw_lanes(witness_of(
      {step("1", "wr", "x", "a.c:1:2"), step("2", "rd", "x", site), step("3", "wr", "y", site),
       step("1", "wr", "z", site), step("2", "wr", "z", site)}));
  EXPECT_NE(text.find("a.c:1  wr x"), std::string::npos) << text;
  EXPECT_EQ(text.find("long_name"), std::string::npos) << text;
}

TEST(Lanes, MoreThanFourThreadsBecomeAList) {
  const std::string text =
      draw_lanes(witness_of({step("1", "wr", "a"), step("2", "wr", "b"), step("3", "wr", "c"),
                             step("4", "wr", "x"), step("5", "wr", "x")}));
  EXPECT_EQ(text,
            "     1  1: wr a\n     2  2: wr b\n     3  3: wr c\n     4  <--> 4: wr x\n"
            "     4  <--> 5: wr x\n");
}

TEST(Lanes, NumbersGoOnAfterARecordedPrefix) {
  const std::string text =
      draw_lanes(witness_of({step("1", "wr", "x"), step("2", "wr", "x")}, 12345678));
  EXPECT_NE(text.find("12345679  wr x"), std::string::npos) << text;
}

TEST(Lanes, WideTerminalsHaveRoomForMoreThreads) {
  const std::string text =
      draw_lanes(witness_of({step("1", "wr", "a"), step("2", "wr", "b"), step("3", "wr", "c"),
                             step("4", "wr", "x"), step("5", "wr", "x")}),
                 2, {.columns = 120, .utf8 = true});
  EXPECT_NE(text.find("thread 5"), std::string::npos) << text;
  EXPECT_NE(text.find("◀──▶ wr x"), std::string::npos) << text;
}

TEST(Lanes, CountsCharactersAndNotBytes) {
  const std::string text =
      draw_lanes(witness_of({step("1", "wr", "größe"), step("2", "rd", "größe")}));
  EXPECT_NE(text.find("wr größe                            <--> rd größe"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace foretell::report
