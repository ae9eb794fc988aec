// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "unit/trace/normalized.h"

namespace foretell::trace {
namespace {

// How many locations the normalized accesses of `text` name.
size_t cell_count(std::string_view text) {
  auto raw = parse_tiddle(text);
  if (!raw) return 0;
  auto normal = normalize(*std::move(raw));
  return normal ? normal->cells.size() : 0;
}

TEST(ValueRules, AReadReturnsTheLastWrite) {
  EXPECT_EQ(refusal("wr 1 x 1\nrd 2 x 2"),
            "event 1: thread 2 reads 2 from x, but the last write (event 0) stored 1");
  EXPECT_EQ(refusal("wr 1 x 1\nrd 2 x 1"), "");
  EXPECT_EQ(refusal("wr 1 x 1\nwr 1 x 2\nrd 2 x 2"), "");
}

TEST(ValueRules, UnknownValuesAreNotHeldAgainstAnyone) {
  EXPECT_EQ(refusal("wr 1 x 1\nwr 1 x\nrd 2 x 2"), "");
  EXPECT_EQ(refusal("wr 1 x 1\nrd 2 x"), "");
  EXPECT_EQ(refusal("rd 1 x 1\nrd 1 x 2"), "");
}

TEST(ValueRules, AtomicsObeyToo) {
  EXPECT_EQ(refusal("awr 1 x rel 1\nard 2 x acq 2"),
            "event 1: thread 2 reads 2 from x, but the last write (event 0) stored 1");
  EXPECT_EQ(refusal("wr 1 x 1\nrmw 2 x ar 0 5"),
            "event 1: thread 2 reads 0 from x, but the last write (event 0) stored 1");
  EXPECT_EQ(refusal("wr 1 x 1\nrmw 2 x ar 1 5\nrd 1 x 5"), "");
  EXPECT_EQ(refusal("rmw 2 x ar 1 5\nrd 1 x 1"),
            "event 1: thread 1 reads 1 from x, but the last write (event 0) stored 5");
}

TEST(ValueRules, ValuesCountModuloTheWidth) {
  EXPECT_EQ(refusal("wr 1 x+0:4 -1\nrd 2 x+0:4 4294967295"), "");
  EXPECT_EQ(refusal("wr 1 x+0:1 -1\nrd 2 x+0:1 254"),
            "event 1: thread 2 reads 254 from x+0:1, but the last write (event 0) stored -1");
  EXPECT_EQ(
      refusal("wr 1 x+0:8 -1\nrd 2 x+0:8 4294967295"),
      "event 1: thread 2 reads 4294967295 from x+0:8, but the last write (event 0) stored -1");
}

TEST(Cells, VariablesKeepTheirNames) {
  EXPECT_EQ(normalized("wr 1 x\nwr 1 y\nrd 2 x"), "0 wr 1 x\n1 wr 1 y\n2 rd 2 x\n");
}

TEST(Cells, DisjointRangesStayWhole) {
  EXPECT_EQ(normalized("wr 1 buf+0:4\nwr 1 buf+4:4"), "0 wr 1 buf+0:4\n1 wr 1 buf+4:4\n");
}

TEST(Cells, ARangeIsCutAtTheBoundariesOfOthers) {
  EXPECT_EQ(normalized("wr 1 buf+0:8\nrd 2 buf+2:4"),
            "0 wr 1 buf+0:2\n0 wr 1 buf+2:4\n0 wr 1 buf+6:2\n1 rd 2 buf+2:4\n");
}

TEST(Cells, RangesThatStraddleShareTheMiddle) {
  EXPECT_EQ(normalized("wr 1 buf+0:6\nrd 2 buf+4:6"),
            "0 wr 1 buf+0:4\n0 wr 1 buf+4:2\n1 rd 2 buf+4:2\n1 rd 2 buf+6:4\n");
}

TEST(Cells, ALaterAccessCutsAnEarlierOne) {
  EXPECT_EQ(normalized("wr 1 0x1000:4\nrd 2 0x1002:1"),
            "0 wr 1 0x1000:2\n0 wr 1 0x1002:1\n0 wr 1 0x1003:1\n1 rd 2 0x1002:1\n");
}

TEST(Cells, AddressesAndNamesAreDifferentSpaces) {
  EXPECT_EQ(cell_count("wr 1 0x0:4\nwr 1 buf+0:4\nwr 1 other+0:4"), 3u);
}

TEST(Cells, AWholeObjectCoversItsRanges) {
  EXPECT_EQ(normalized("wr 1 buf\nrd 2 buf+4:4\nrd 2 buf+12:4"),
            "0 wr 1 buf+4:4\n0 wr 1 buf+8:4\n0 wr 1 buf+12:4\n1 rd 2 buf+4:4\n2 rd 2 buf+12:4\n");
}

TEST(Cells, TheEndOfTheAddressSpaceIsInside) {
  EXPECT_EQ(normalized("wr 1 0xfffffffffffffff8:7"), "0 wr 1 0xfffffffffffffff8:7\n");
}

TEST(CellValues, AreCutLikeTheirBytes) {
  EXPECT_EQ(normalized("wr 1 x+0:4 0x11223344\nrd 2 x+0:2 0x3344\nrd 2 x+2:2 0x1122"),
            "0 wr 1 x+0:2 13124\n0 wr 1 x+2:2 4386\n1 rd 2 x+0:2 13124\n2 rd 2 x+2:2 4386\n");
}

TEST(CellValues, AWrongByteIsFound) {
  EXPECT_EQ(refusal("wr 1 x+0:4 0x11223344\nrd 2 x+1:1 0x34"),
            "event 1: thread 2 reads 52 from x+1:1, but the last write (event 0) stored 51");
}

TEST(CellValues, BytesWrittenApartAreReadTogether) {
  EXPECT_EQ(refusal("wr 1 x+0:1 1\nwr 1 x+1:1 2\nrd 2 x+0:2 513"), "");
  EXPECT_EQ(refusal("wr 1 x+0:1 1\nwr 1 x+1:1 2\nrd 2 x+0:2 257"),
            "event 2: thread 2 reads 1 from x+1:1, but the last write (event 1) stored 2");
}

TEST(CellValues, BeyondEightBytesNothingIsKnown) {
  EXPECT_EQ(normalized("wr 1 x+0:16 5\nrd 2 x+8:8"),
            "0 wr 1 x+0:8 5\n0 wr 1 x+8:8\n1 rd 2 x+8:8\n");
}

TEST(CellValues, AValueWithoutExtentHasNoBytes) {
  EXPECT_EQ(normalized("wr 1 x 5\nrd 2 x+4:4 0"), "0 wr 1 x+4:4\n1 rd 2 x+4:4 0\n");
}

TEST(CellValues, BothValuesOfAnRmwAreCut) {
  EXPECT_EQ(normalized("rmw 1 x+0:2 ar 258 772\nrd 2 x+0:1"),
            "0 rmw 1 x+0:1 2 4\n0 rmw 1 x+1:1 1 3\n1 rd 2 x+0:1\n");
}

TEST(Lives, AllocatedTwice) {
  EXPECT_EQ(refusal("alloc 1 p 8\nalloc 1 p 8"),
            "event 1: thread 1 allocates p, which is allocated already");
  EXPECT_EQ(refusal("alloc 1 p 8\nfree 1 p\nalloc 1 p 8"), "");
}

TEST(Lives, FreedTwice) {
  EXPECT_EQ(refusal("free 1 p\nfree 1 p"), "event 1: thread 1 frees p, which is free already");
  EXPECT_EQ(refusal("free 1 p\nalloc 1 p 8\nfree 1 p"), "");
}

TEST(Lives, ANewLifeIsANewCell) {
  const char* const twice =
      "alloc 1 0x10:8\nwr 1 0x10:8 1\nfree 1 0x10:8\nalloc 2 0x10:8\nrd 2 0x10:8 0";
  EXPECT_EQ(refusal(twice), "");
  EXPECT_EQ(cell_count(twice), 2u);
}

TEST(Lives, ACellKnowsItsAllocation) {
  auto normal = normalize(*parse_tiddle("wr 1 p\nfree 1 p\nalloc 1 p 8\nwr 1 p"));
  ASSERT_TRUE(normal);
  EXPECT_EQ(normal->cells[normal->events.front().location()].alloc, kNoEvent);
  EXPECT_EQ(normal->cells[normal->events.back().location()].alloc, EventIndex{2});
}

TEST(Lives, UseAfterFreeStaysInTheOldLife) {
  EXPECT_EQ(cell_count("alloc 1 p 8\nwr 1 p\nfree 1 p\nrd 2 p"), 1u);
}

TEST(Lives, AllocationRenewsOnlyItsRange) {
  EXPECT_EQ(cell_count("wr 1 0x10:8\nwr 1 0x18:8\nfree 1 0x10:8\nalloc 1 0x10:8\nwr 1 0x10:8\n"
                       "wr 1 0x18:8"),
            3u);
}

TEST(Lives, FreeTouchesEveryCell) {
  EXPECT_EQ(normalized("wr 1 0x10:4\nfree 2 0x10:8"),
            "0 wr 1 0x10:4\n1 free 2 0x10:4\n1 free 2 0x14:4\n");
}

}  // namespace
}  // namespace foretell::trace
