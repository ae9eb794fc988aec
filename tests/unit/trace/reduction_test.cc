// SPDX-License-Identifier: Apache-2.0

// What a reduced trace leaves out (PREDICT, appendix A).
#include "trace/reduction.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

std::string reduced(std::string_view text, ReductionCounts* counts = nullptr) {
  auto trace = parse_tiddle(text);
  EXPECT_TRUE(trace);
  Reduction reduction(trace->tables);
  for (const Event& e : trace->events) EXPECT_TRUE(reduction.look_at(e));
  std::string out;
  for (const Event& e : trace->events) {
    auto keeps = reduction.keeps(e);
    EXPECT_TRUE(keeps);
    if (*keeps) print_tiddle_event(Reduction::without_values(e), trace->tables, out);
  }
  if (counts != nullptr) *counts = reduction.counts();
  return out;
}

TEST(Reduction, LeavesOutWhatOneThreadUses) {
  EXPECT_EQ(reduced("wr 1 x 1\nrd 1 x 1\nwr 1 y 2\nrd 2 y 2\n"), "wr 1 y\nrd 2 y\n");
}

TEST(Reduction, LeavesOutWhatNobodyWrites) {
  EXPECT_EQ(reduced("rd 1 x\nrd 2 x\nrd 1 y\nwr 2 y\n"), "rd 1 y\nwr 2 y\n");
}

TEST(Reduction, LeavesOutRepeatedAccesses) {
  EXPECT_EQ(reduced("rd 1 x\nrd 1 x\nwr 1 x\nwr 1 x\nrd 1 x\nwr 2 x\nrd 1 x\n"),
            "rd 1 x\nwr 1 x\nwr 2 x\n");
}

TEST(Reduction, SynchronizationOfTheThreadBeginsAnew) {
  EXPECT_EQ(reduced("wr 1 x\nacq 1 m\nwr 1 x\nrel 1 m\nwr 1 x\nrd 2 x\nacq 2 m\nrel 2 m\nrd 2 x\n"),
            "wr 1 x\nacq 1 m\nwr 1 x\nrel 1 m\nwr 1 x\nrd 2 x\nacq 2 m\nrel 2 m\nrd 2 x\n");
  EXPECT_EQ(reduced("wr 1 x\nacq 2 m\nrel 2 m\nwr 1 x\nrd 2 x\n"),
            "wr 1 x\nacq 2 m\nrel 2 m\nrd 2 x\n");
}

TEST(Reduction, CallsBeginNothing) {
  EXPECT_EQ(reduced("wr 1 x\ncall 1 f\nwr 1 x\nret 1 f\nrd 2 x\n"),
            "wr 1 x\ncall 1 f\nret 1 f\nrd 2 x\n");
}

TEST(Reduction, AtomicAccessesStay) {
  EXPECT_EQ(reduced("awr 1 x\nawr 1 x\nard 1 y\n"), "awr 1 x sc\nawr 1 x sc\nard 1 y sc\n");
}

TEST(Reduction, AnAccessStaysIfOneOfItsBytesMust) {
  EXPECT_EQ(reduced("wr 1 p+0:4\nwr 1 p+0:8\nwr 1 p+0:4\nrd 2 p+6:1\nrd 2 p+0:1\n"),
            "wr 1 p+0:4\nwr 1 p+0:8\nrd 2 p+6:1\nrd 2 p+0:1\n");
}

TEST(Reduction, AnotherLifeOfTheMemoryIsAnotherLocation) {
  EXPECT_EQ(reduced("alloc 1 p 8\nwr 1 p+0:4\nfree 1 p\nalloc 2 p 8\nwr 2 p+0:4\nfree 2 p\n"),
            "alloc 1 p 8\nfree 1 p\nalloc 2 p 8\nfree 2 p\n");
}

TEST(Reduction, CountsWhatItLeftOut) {
  ReductionCounts counts;
  reduced("wr 1 x\nrd 1 y\nrd 2 y\nwr 1 z\nwr 1 z\nrd 2 z\n", &counts);
  EXPECT_EQ(counts.one_thread, 1u);
  EXPECT_EQ(counts.read_only, 2u);
  EXPECT_EQ(counts.repeated, 1u);
  EXPECT_EQ(counts.kept, 2u);
}

}  // namespace
}  // namespace foretell::trace
