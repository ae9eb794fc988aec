// SPDX-License-Identifier: Apache-2.0

#include "analysis/property/matching.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::analysis {
namespace {

trace::Trace trace_of(std::string_view text) {
  auto raw = trace::parse_tiddle(text, "t");
  EXPECT_TRUE(raw) << raw.error().to_text();
  auto normal = trace::normalize(std::move(*raw));
  EXPECT_TRUE(normal) << normal.error().to_text();
  return std::move(*normal);
}

property_language::Property property_of(std::string_view events) {
  auto parsed =
      property_language::parse("property p { " + std::string(events) + " never " + "a; }", "p");
  EXPECT_TRUE(parsed) << parsed.error().to_text();
  return std::move(parsed->properties[0]);
}

// "q = 5: 0 2; q = 7: 1"
std::string slices(std::string_view events, std::string_view trace) {
  const auto property = property_of(events);
  std::string text;
  for (const Slice& slice : match_events(trace_of(trace), property).slices) {
    if (!text.empty()) text += "; ";
    text += slice.text(property) + ":";
    for (const auto& [position, set] : slice.steps) text += fmt::format(" {}", position);
  }
  return text;
}

TEST(Matching, HasASliceForEachBinding) {
  EXPECT_EQ(slices("event a = user take(q); for each q;",
                   "user 1 take 5\nuser 1 take 7\nuser 2 take 5\nuser 2 other 5\n"),
            "q = 5: 0 2; q = 7: 1");
}

TEST(Matching, GivesStepsWithoutTheParameterToAll) {
  EXPECT_EQ(slices("event a = user take(q); event all = user reset; for each q;",
                   "user 1 take 5\nuser 1 reset\nuser 1 take 7\n"),
            "q = 5: 0 1; q = 7: 1 2");
}

TEST(Matching, TakesTheCombinationsOfStepsThatTakeAllParameters) {
  EXPECT_EQ(slices("event a = user iterate(c, i); event change = user change(c); event go = user "
                   "next(i); for each c, i;",
                   "user 1 iterate 1 10\nuser 1 change 1\nuser 1 next 10\nuser 1 change 2\n"),
            "c = 1, i = 10: 0 1 2");
}

TEST(Matching, ComparesValues) {
  EXPECT_EQ(slices("event a = user v(x, y) where x < y and not (x == 3);",
                   "user 1 v 1 2\nuser 1 v 2 1\nuser 1 v 3 4\n"),
            ": 0");
}

TEST(Matching, WantsLiterals) {
  EXPECT_EQ(slices("event a = user v(_, 0);", "user 1 v 1 0\nuser 1 v 0 1\n"), ": 0");
}

TEST(Matching, KnowsThreadsLocksAndVariables) {
  EXPECT_EQ(slices("event a = lock m by t; for each t;", "acq 1 m\nrel 1 m\nacq 2 m\nacq 2 n\n"),
            "t = 1: 0; t = 2: 2");
  EXPECT_EQ(slices("event a = write x(v) where v > 1;", "wr 1 x 1\nwr 1 x 2\nwr 1 y 3\nrd 1 x 2\n"),
            ": 1");
  EXPECT_EQ(slices("event a = unlock(l); for each l;", "acq 1 m\nrel 1 m\n"), "l = m: 1");
}

TEST(Matching, FindsFunctionsByTheirLastNames) {
  EXPECT_EQ(slices("event a = call add; event r = return Account::add;",
                   "call 1 Account::add(int)\nret 1 Account::add(int)\ncall 1 madd\nret 1 madd\n"),
            ": 0 1");
}

TEST(Matching, TakesTheResultAfterTheArrow) {
  EXPECT_EQ(slices("event a = user f(x) where x == 1;", "user 1 f 1 -> 7\n"), ": 0");
}

}  // namespace
}  // namespace foretell::analysis
