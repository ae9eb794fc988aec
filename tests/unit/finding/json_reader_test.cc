// SPDX-License-Identifier: Apache-2.0

#include "finding/json_reader.h"

#include <gtest/gtest.h>

#include "unit/launch/scratch.h"

namespace foretell::finding {
namespace {

TEST(JsonReader, ReadsWhatReplayNeeds) {
  launch::Scratch scratch;
  scratch.write("findings.json", R"({"foretell": 1, "findings": [
    {"id": "race-1", "kind": "race", "verdict": "predicted", "location": "x",
     "events": [{"index": 3, "thread": "T1", "op": "wr", "object": "x", "site": "a.c:1"},
                {"index": 9, "thread": "T2", "op": "rd", "object": "x", "site": "a.c:2"}],
     "witness_prefix": 2, "witness": [5, 9, 3], "occurrences": 1},
    {"id": "race-2", "kind": "race", "verdict": "possible", "location": "x", "events": [],
     "witness": null, "reason": "because", "occurrences": 1}]})");
  const std::string path = scratch.path("findings.json");
  auto race = read_finding(path, "race-1");
  ASSERT_TRUE(race) << race.error().to_text();
  EXPECT_EQ(race->witness->prefix_end, 2u);
  EXPECT_EQ(race->witness->steps.back(), EventIndex{3});
  EXPECT_EQ(race->events[1].site, "a.c:2");
  EXPECT_FALSE(read_finding(path, "race-2")->witness);
  EXPECT_EQ(read_finding(path, "race-9").error().to_text(),
            "error: there is no finding 'race-9' in " + path + "\nnote: it has race-1, race-2\n");
}

TEST(JsonReader, ANameIsNoPath) {
  const launch::Scratch scratch;
  scratch.write("findings.json", R"({"foretell": 1, "findings": [
    {"id": "../../race-1", "kind": "race", "verdict": "predicted", "location": "x", "events": [],
     "witness": null}]})");
  const std::string path = scratch.path("findings.json");
  EXPECT_NE(read_finding(path, "../../race-1")
                .error()
                .message.find("has a name of a finding that this Foretell does not know"),
            std::string::npos);
}

TEST(JsonReader, ADamagedScheduleIsAnError) {
  const launch::Scratch scratch;
  scratch.write("findings.json", R"({"foretell": 1, "findings": [
    {"id": "race-1", "kind": "race", "verdict": "predicted", "location": "x", "events": [],
     "schedule_string": "0x1", "witness": null}]})");
  const std::string path = scratch.path("findings.json");
  EXPECT_NE(read_finding(path, "race-1")
                .error()
                .message.find("has a schedule that this Foretell does not know"),
            std::string::npos);
}

}  // namespace
}  // namespace foretell::finding
