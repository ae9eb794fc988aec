// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

std::string reprint(std::string_view text) {
  auto trace = parse_tiddle(text);
  return trace ? print_tiddle(*trace) : trace.error().to_text();
}

TEST(Tiddle, ReadsTheGrammarOfTheDocument) {
  const std::string text =
      "rd 1 x\nwr 2 x 1\nacq 1 m\nrel 1 m\nfork 1 2\njoin 1 2\nbeg 1 a\nend 1 a\n";
  EXPECT_EQ(reprint(text), text);
}

TEST(Tiddle, LineEndsDoNotMatter) {
  EXPECT_EQ(reprint("rd 1 x wr\r\n 2 x\n\n1 acq 1 m"), "rd 1 x\nwr 2 x 1\nacq 1 m\n");
}

TEST(Tiddle, PrintsEveryKindBackAsItWas) {
  const std::string text =
      "start 1\nexit 1\nard 1 x acq 3\nawr 1 x rel -1\nrmw 1 x ar 3 4\nfence 1 sc\nreq 1 m\n"
      "sreq 1 m\nsacq 1 m\nsrel 1 m\ntryfail 1 m\nstryfail 1 m\nwait 1 c m\nwake 1 c m #4\n"
      "wake 1 c m spurious\nnotify 1 c #4\nnotifyall 1 c\nenter 1 b #0\nleave 1 b #0\npost 1 s #1\n"
      "down 1 s #1\ndown 1 s initial\ncall 1 f\nret 1 f\nbranch 1 1\nalloc 1 buf 64\nfree 1 buf\n"
      "user 1 opened file\nwr 1 buf+8:4 7\nrd 1 0x7f00:8\n";
  EXPECT_EQ(reprint(text), text);
}

TEST(Tiddle, KeepsSites) {
  const std::string text = "wr 1 x 1 @race.cpp:8:15 in=deposit as=acc.balance\nrd 2 x @345\n";
  EXPECT_EQ(reprint(text), text);
}

TEST(Tiddle, QuotesNamesThatNeedIt) {
  const std::string text =
      "rd \"a b\" \"x:1\" @\"my file.c\":3 in=\"f(int, int)\"\nrd 1 \"\\\"\\n\"\n";
  EXPECT_EQ(reprint(text), text);
}

TEST(Tiddle, ErrorsNameLineAndWord) {
  EXPECT_EQ(reprint("rd 1 x\nread 1 y"), "<tiddle>:2: error: unknown operation 'read'\n");
  EXPECT_EQ(reprint("rd 1"), "<tiddle>:1: error: the text ends where 'rd' needs a location\n");
}

}  // namespace
}  // namespace foretell::trace
