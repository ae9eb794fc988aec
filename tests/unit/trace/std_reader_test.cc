// SPDX-License-Identifier: Apache-2.0

#include "trace/std/std_reader.h"

#include <gtest/gtest.h>

#include "trace/normalizer.h"
#include "trace/text.h"
#include "unit/trace/read_back.h"

namespace foretell::trace {
namespace {

std::unique_ptr<TraceReader> std_reader_of(std::string_view text) {
  return make_std_reader(InputFile::from_memory(text, "t.std"));
}

std::string std_as_tiddle(std::string_view text) {
  return read_back(*std_reader_of(text));
}

TEST(StdReader, ReadsEveryOperation) {
  EXPECT_EQ(
      std_as_tiddle("T0|fork(T1)|1\nT0|begin(f)|2\nT0|req(L1)|3\nT0|acq(L1)|3\nT0|r(V1.3[7])|345\n"
                    "T0|w(V2)|4\nT0|rel(L1)|5\nT0|end(f)|6\nT0|join(T1)|7\n"),
      "fork T0 T1 @1\nbeg T0 f @2\nreq T0 L1 @3\nacq T0 L1 @3\nrd T0 V1.3[7] @345\n"
      "wr T0 V2 @4\nrel T0 L1 @5\nend T0 f @6\njoin T0 T1 @7\n");
}

TEST(StdReader, TheSiteIsOptional) {
  EXPECT_EQ(std_as_tiddle("T0|r(x)\nT0|w(x)|\n"), "rd T0 x\nwr T0 x\n");
}

TEST(StdReader, BlocksNeedNoLabel) {
  EXPECT_EQ(std_as_tiddle("T0|begin()|1\nT0|end|2\nT0|begin\nT0|end()"),
            "beg T0 block @1\nend T0 block @2\nbeg T0 block\nend T0 block\n");
}

TEST(StdReader, ReadsCrLfBlankLinesCommentsAndALastLineWithoutEnd) {
  EXPECT_EQ(std_as_tiddle("# made by hand\r\n\r\nT0|r(x)|1\r\n   \nT1|w(x)|2"),
            "rd T0 x @1\nwr T1 x @2\n");
}

TEST(StdReader, PassesOverAByteOrderMark) {
  EXPECT_EQ(std_as_tiddle("\xef\xbb\xbfT0|r(x)|1"), "rd T0 x @1\n");
}

TEST(StdReader, NamesHoldParenthesesAndBars) {
  EXPECT_EQ(std_as_tiddle("main|begin(f(int) const)|A.java:3\nmain|r(a|b)|4"),
            "beg main \"f(int) const\" @\"A.java:3\"\nrd main a|b @4\n");
}

TEST(StdReader, NamesAreUtf8) {
  EXPECT_EQ(std_as_tiddle("Fädchen|w(größe)|1"), "wr Fädchen größe @1\n");
}

TEST(StdReader, LongAndAlmostEqualNamesAreToldApart) {
  const std::string a = "abcdefgh_first_ijklmnop", b = "abcdefgh_other_ijklmnop";
  EXPECT_EQ(std_as_tiddle("T|r(" + a + ")\nT|r(" + b + ")\nT|r(" + a + ")\n"),
            "rd T " + a + "\nrd T " + b + "\nrd T " + a + "\n");
}

TEST(StdReader, OneNameInSeveralRoles) {
  EXPECT_EQ(std_as_tiddle("x|r(x)|x\nx|acq(x)|x\nx|begin(x)|x\n"),
            "rd x x @x\nacq x x @x\nbeg x x @x\n");
}

TEST(StdReader, ErrorsNameFileLineTextAndReason) {
  EXPECT_EQ(std_as_tiddle("T0|r(x)|1\nnonsense"),
            "t.std:2: error: no '|' after the thread in 'nonsense'\n");
  EXPECT_EQ(std_as_tiddle("|r(x)|1"),
            "t.std:1: error: no thread before the first '|' in '|r(x)|1'\n");
  EXPECT_EQ(std_as_tiddle("T0|read(x)|1"),
            "t.std:1: error: unknown operation 'read' in 'T0|read(x)|1'\n");
  EXPECT_EQ(std_as_tiddle("T0|r(x|1"), "t.std:1: error: no ')' after the operand in 'T0|r(x|1'\n");
  EXPECT_EQ(std_as_tiddle("T0|r(x)y|1"),
            "t.std:1: error: no ')' after the operand in 'T0|r(x)y|1'\n");
  EXPECT_EQ(std_as_tiddle("T0|acq()|1"),
            "t.std:1: error: 'acq' needs a name in parentheses in 'T0|acq()|1'\n");
  EXPECT_EQ(std_as_tiddle("T0|r|1"),
            "t.std:1: error: 'r' needs a name in parentheses in 'T0|r|1'\n");
}

TEST(StdReader, AHugeLineIsAShortError) {
  const std::string line = "T0|r(" + std::string(LineScanner::kLongestLine, 'x') + ")|1";
  EXPECT_EQ(std_as_tiddle("T0|r(y)|1\n" + line),
            "t.std:2: error: the line is longer than 1048576 bytes in 'T0|r(" +
                std::string(55, 'x') + "...'\n");
}

TEST(StdReader, ErrorsHaveNoControlCharacters) {
  EXPECT_EQ(std_as_tiddle("\x1b[2J\a"), "t.std:1: error: no '|' after the thread in '?[2J?'\n");
}

TEST(StdReader, RewindGivesTheSameIds) {
  auto reader = std_reader_of("T0|w(x)|1\nT1|r(y)|2\nT0|acq(l)|1\n");
  std::vector<Event> first(8), second(8);
  EXPECT_EQ(reader->read(first).value(), 3u);
  reader->rewind();
  EXPECT_EQ(reader->read(second).value(), 3u);
  EXPECT_EQ(first, second);
}

TEST(StdReader, SmallBatchesGiveTheSameEvents) {
  const std::string text = "T0|w(x)|1\n\nT1|r(y)|2\n# c\nT0|acq(l)|1\n";
  EXPECT_EQ(read_back(*std_reader_of(text), 1), std_as_tiddle(text));
}

TEST(StdReader, PositionsAreLines) {
  auto reader = std_reader_of("# c\nT0|w(x)|1\n\nT1|r(y)|2\n");
  std::vector<Event> events(2);
  ASSERT_EQ(reader->read(events).value(), 2u);
  EXPECT_EQ(reader->position(EventIndex{0}), "t.std:2");
  EXPECT_EQ(reader->position(EventIndex{1}), "t.std:4");
  EXPECT_EQ(reader->position(EventIndex{2}), "t.std: event 2");
}

TEST(StdReader, NeedsNoPassOverTheLocations) {
  EXPECT_TRUE(std_reader_of("")->locations_known());
}

TEST(StdReader, ProgressEndsAtOne) {
  auto reader = std_reader_of("T0|w(x)|1\n");
  EXPECT_EQ(reader->progress(), 0);
  read_back(*reader);
  EXPECT_EQ(reader->progress(), 1);
}

}  // namespace
}  // namespace foretell::trace
