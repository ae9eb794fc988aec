// SPDX-License-Identifier: Apache-2.0

#include "replay/expectation.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::replay {
namespace {

std::optional<LastSteps> last(std::string_view text, uint64_t number = 0) {
  return *last_steps(*trace::make_tiddle_reader(InputFile::from_memory(text)), number);
}

TEST(LastSteps, ClashIfTheyTouchTheSameMemory) {
  EXPECT_TRUE(last("wr a x\nrd b x\n")->clash);
  EXPECT_TRUE(last("wr a buf+0:8\nrd b buf+4:4\n")->clash);
  EXPECT_TRUE(last("wr a x\nard b x\n")->clash);
}

TEST(LastSteps, DoNotClashOtherwise) {
  EXPECT_FALSE(last("wr a buf+0:4\nrd b buf+4:4\n")->clash);
  EXPECT_FALSE(last("wr a x\nrd b y\n")->clash);
  EXPECT_FALSE(last("rd a x\nrd b x\n")->clash);
  EXPECT_FALSE(last("wr a x\nrd a x\n")->clash);
  EXPECT_FALSE(last("awr a x\nard b x\n")->clash);
  EXPECT_FALSE(last("acq a x\nwr b x\n")->clash);
}

TEST(LastSteps, AreThoseOfTheSchedule) {
  const std::string_view run = "wr a x @f.c:1\nwr b x @f.c:2\nwr a y @f.c:3\n";
  EXPECT_EQ(last(run, 2)->steps[1], (Expectation::Step{"b", "f.c:2"}));
  EXPECT_EQ(last(run)->steps[1], (Expectation::Step{"a", "f.c:3"}));
  EXPECT_FALSE(last(run, 4));
  EXPECT_FALSE(last("wr a x\n"));
}

TEST(LastSteps, StepsOfAThreadAreCounted) {
  auto reader = trace::make_tiddle_reader(InputFile::from_memory("wr a x\nwr b x\nwr a y\n"));
  EXPECT_EQ(*steps_of(*reader, "a"), 2u);
  EXPECT_EQ(*steps_of(*reader, "c"), 0u);
}

TEST(Expectation, HasTheStepsInTheOrderOfTheSchedule) {
  finding::Finding f;
  f.events = {{.index = EventIndex{3}, .thread = "T1", .site = "a"},
              {.index = EventIndex{9}, .thread = "T2", .site = "b"}};
  f.witness = finding::Witness{.steps = {EventIndex{9}, EventIndex{3}}};
  EXPECT_EQ(expectation_of(f).steps[0].thread, "T2");
  f.witness->steps = {EventIndex{3}, EventIndex{9}};
  EXPECT_EQ(expectation_of(f).steps[0].thread, "T1");
}

}  // namespace
}  // namespace foretell::replay
