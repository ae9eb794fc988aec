// SPDX-License-Identifier: Apache-2.0

// What of a recording's values a text trace can carry.
#include "trace/text_values.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

// The text of a recording with these events.
std::string printable(std::string_view text) {
  auto recorded = parse_tiddle(text);
  EXPECT_TRUE(recorded);
  recorded->tables.facts.has_unrecorded_writes = true;
  EXPECT_TRUE(normalize(*recorded)) << "it is no recording";
  make_printable(*recorded);
  const std::string printed = print_tiddle(*recorded);
  auto read_back = parse_tiddle(printed);
  EXPECT_TRUE(read_back);
  auto normal = normalize(*read_back);
  EXPECT_TRUE(normal) << normal.error().to_text() << printed;
  return printed;
}

TEST(TextValues, AReadThatContradictsTheLastWriteLosesItsValue) {
  EXPECT_EQ(printable("wr 1 x 1\nrd 2 x 5\n"), "wr 1 x 1\nrd 2 x\n");
}

TEST(TextValues, SoDoLaterOnesUntilTheNextWrite) {
  EXPECT_EQ(printable("wr 1 x 1\nrd 2 x 5\nrd 3 x 5\nrd 3 x 1\nwr 1 x 6\nrd 2 x 6\n"),
            "wr 1 x 1\nrd 2 x\nrd 3 x\nrd 3 x 1\nwr 1 x 6\nrd 2 x 6\n");
}

TEST(TextValues, AValueIsComparedByteByByte) {
  EXPECT_EQ(printable("wr 1 p+0:4 258\nrd 2 p+0:1 2\nrd 2 p+1:1 7\nrd 2 p+0:4 1794\n"),
            "wr 1 p+0:4 258\nrd 2 p+0:1 2\nrd 2 p+1:1\nrd 2 p+0:4\n");
}

TEST(TextValues, AReadModifyWriteLosesBoth) {
  EXPECT_EQ(printable("awr 1 x sc 1\nrmw 2 x sc 5 6\nard 1 x sc 6\n"),
            "awr 1 x sc 1\nrmw 2 x sc\nard 1 x sc 6\n");
}

TEST(TextValues, ANewLifeOfTheMemoryHasNoWriteYet) {
  EXPECT_EQ(printable("alloc 1 p 8\nwr 1 p+0:4 1\nfree 1 p\nalloc 1 p 8\nrd 1 p+0:4 9\n"),
            "alloc 1 p 8\nwr 1 p+0:4 1\nfree 1 p\nalloc 1 p 8\nrd 1 p+0:4 9\n");
}

TEST(TextValues, OtherTracesStayAsTheyAre) {
  auto trace = parse_tiddle("wr 1 x 1\nrd 2 x 5\n");
  make_printable(*trace);
  EXPECT_EQ(print_tiddle(*trace), "wr 1 x 1\nrd 2 x 5\n");
}

}  // namespace
}  // namespace foretell::trace
