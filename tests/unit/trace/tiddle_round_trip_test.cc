// SPDX-License-Identifier: Apache-2.0

// parse -> print -> parse is the identity, whatever the names are.
#include <gtest/gtest.h>

#include <random>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

using namespace std::string_literals;

const std::vector<std::string> kNames = {"x",
                                         "größe",
                                         "日本語",
                                         "a b",
                                         " ",
                                         "",
                                         "\"",
                                         "\\",
                                         "\"q\"",
                                         "a\"b",
                                         "\\n",
                                         "\n",
                                         "\t\r",
                                         "\v\f",
                                         "@x",
                                         "@",
                                         "#1",
                                         "#",
                                         "#c",
                                         "//",
                                         "//x",
                                         "a//b",
                                         "=",
                                         "in=f",
                                         "as=",
                                         "in=",
                                         "+",
                                         "a+b",
                                         "x+8:4",
                                         "+8:4",
                                         ":",
                                         "a:b",
                                         "a.c:3",
                                         "a.c:3:14",
                                         ":3",
                                         "0x10:4",
                                         "0x10",
                                         "0X10:4",
                                         "0x",
                                         "-1",
                                         "-",
                                         "7",
                                         "18446744073709551616",
                                         "spurious",
                                         "initial",
                                         "acq",
                                         "sc",
                                         "rd",
                                         "|",
                                         "{}",
                                         "%s",
                                         "'",
                                         "\0"s,
                                         "a\0b"s,
                                         "\x01",
                                         "\x7f",
                                         "\x1b[2J",
                                         "\xc2\x9b",
                                         "\xe2\x80\xae",
                                         "\xff",
                                         "\xc3",
                                         "\xef\xbb\xbf",
                                         std::string(300, 'n')};

// Quoted always, and not by the printer's own rules.
std::string in_quotes(std::string_view name) {
  std::string out = "\"";
  for (char c : name) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '"':
      case '\\':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out + '"';
}

void expect_identity(std::string_view text) {
  auto first = parse_tiddle(text);
  ASSERT_TRUE(first) << first.error().to_text() << text;
  const std::string printed = print_tiddle(*first);
  auto second = parse_tiddle(printed);
  ASSERT_TRUE(second) << second.error().to_text() << printed;
  EXPECT_EQ(first->events, second->events) << printed;
  EXPECT_EQ(print_tiddle(*second), printed);
}

TEST(TiddleRoundTrip, HostileNamesInEveryRole) {
  for (const std::string& name : kNames) {
    const std::string q = in_quotes(name);
    for (const std::string& text : {"rd " + q + " x\n",
                                    "rd 1 " + q + "\n",
                                    "wr 1 " + q + " 5\n",
                                    "ard 1 " + q + " acq 5\n",
                                    "rmw 1 " + q + " ar 1 2\n",
                                    "wr 1 " + q + "+8:4 5\n",
                                    "acq 1 " + q + "\n",
                                    "fork 1 " + q + "\n",
                                    "beg 1 " + q + "\n",
                                    "call 1 " + q + "\n",
                                    "wait 1 " + q + " m\n",
                                    "wake 1 c " + q + " #3\n",
                                    "wake 1 c " + q + " spurious\n",
                                    "notify 1 " + q + " #0\n",
                                    "enter 1 " + q + " #2\n",
                                    "post 1 " + q + " #1\n",
                                    "down 1 " + q + " initial\n",
                                    "alloc 1 " + q + " 8\n",
                                    "free 1 " + q + "\n",
                                    "user 1 " + q + "\n",
                                    "user 1 e " + q + "\n",
                                    "user 1 e " + q + " " + q + " @f:1\n",
                                    "rd 1 x @" + q + "\n",
                                    "rd 1 x @" + q + ":3\n",
                                    "rd 1 x @" + q + ":3:14\n",
                                    "rd 1 x @f.c:3 in=" + q + "\n",
                                    "rd 1 x @f.c:3 as=" + q + "\n",
                                    "branch 1 1 @f.c in=" + q + " as=" + q + "\n"}) {
      expect_identity(text + "acq 2 m\n");
    }
  }
}

TEST(TiddleRoundTrip, NamesMeanWhatTheySay) {
  for (const std::string& name : kNames) {
    const std::string q = in_quotes(name);
    auto first = parse_tiddle("rd " + q + " " + q + " @" + q + " in=" + q + "\nacq 1 " + q + "\n");
    ASSERT_TRUE(first) << q;
    auto trace = parse_tiddle(print_tiddle(*first));
    ASSERT_TRUE(trace) << q;
    const Event& read = trace->events[0];
    EXPECT_EQ(trace->tables.threads[read.thread], name);
    EXPECT_EQ(trace->tables.strings[trace->tables.locations[read.location()].space], name);
    EXPECT_EQ(trace->tables.locations[read.location()].size, 0u);
    EXPECT_EQ(trace->tables.strings[trace->tables.sites[read.site].file], name);
    EXPECT_EQ(trace->tables.sites[read.site].line, 0u);
    EXPECT_EQ(trace->tables.strings[trace->tables.sites[read.site].function], name);
    EXPECT_EQ(trace->tables.locks[trace->events[1].lock()], name);
  }
}

class RandomText {
 public:
  explicit RandomText(uint64_t seed) : random_(seed) {}

  std::string events(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += event();
    return out;
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  std::string name() { return ' ' + in_quotes(kNames[below(kNames.size())]); }
  std::string number() {
    return below(2) ? fmt::format(" {}", static_cast<int64_t>(random_() >> below(64)))
                    : fmt::format(" -{:#x}", random_() >> (1 + below(63)));
  }
  std::string maybe(std::string text) { return below(2) ? std::move(text) : ""; }
  std::string ticket() { return maybe(fmt::format(" #{}", random_() >> (1 + below(63)))); }
  std::string order() {
    return maybe(fmt::format(" {}", word_of(MemoryOrder{static_cast<uint8_t>(below(6))})));
  }
  std::string location() {
    const uint64_t offset = random_() >> (1 + below(63)), size = 1 + (random_() >> (1 + below(62)));
    switch (below(3)) {
      case 0:
        return name();
      case 1:
        return fmt::format("{}+{}:{}", name(), offset, size);
      default:
        return fmt::format(" {:#x}:{}", offset, size);
    }
  }
  std::string site() {
    if (below(2)) return "";
    std::string text = name();
    text.insert(1, "@");
    if (below(2)) text += fmt::format(":{}{}", 1 + below(5000), maybe(":7"));
    if (below(3) == 0) text += " in=" + name().substr(1);
    if (below(3) == 0) text += " as=" + name().substr(1);
    return text;
  }

  std::string operands(Operands operands) {
    switch (operands) {
      case Operands::None:
        return "";
      case Operands::Access:
      case Operands::Alloc:
        return location() + maybe(number());
      case Operands::Atomic:
        return location() + order() + maybe(number());
      case Operands::AtomicRmw:
        return location() + order() + maybe(number() + number());
      case Operands::Order:
        return order();
      case Operands::Lock:
      case Operands::Thread:
      case Operands::Label:
      case Operands::Function:
        return name();
      case Operands::Wait:
        return name() + name();
      case Operands::Wake:
        return name() + name() + (below(3) ? ticket() : " spurious");
      case Operands::Notify:
      case Operands::Barrier:
      case Operands::Post:
        return name() + ticket();
      case Operands::Down:
        return name() + (below(3) ? ticket() : " initial");
      case Operands::Branch:
        return maybe(number());
      case Operands::Free:
        return location();
      case Operands::User:
        return name() + maybe(name()) + maybe(name());
    }
    return "";
  }

  std::string event() {
    const EventKind kind{static_cast<uint8_t>(below(kEventKindCount))};
    return std::string(word_of(kind)) + name() + operands(operands_of(kind)) + site() + '\n';
  }

  std::mt19937_64 random_;
};

TEST(TiddleRoundTrip, RandomTexts) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    expect_identity(RandomText(seed).events(40));
    if (HasFailure()) break;
  }
}

std::string error_of(std::string_view text) {
  auto trace = parse_tiddle(text, "t");
  return trace ? "" : trace.error().to_text();
}

TEST(TiddleErrors, AnUnclosedQuoteIsNeverPassedOver) {
  EXPECT_EQ(error_of("user 1 e \"abc\nrd 1 x"),
            "t:1: error: a quoted name is not closed on its line\n");
  EXPECT_EQ(error_of("rd 1 x\nrd 1 \"abc"),
            "t:2: error: a quoted name is not closed on its line\n");
}

TEST(TiddleErrors, ARangeNeedsItsPlus) {
  const std::string advice = " is not a range of bytes: write name+OFFSET:SIZE or 0xADDRESS:SIZE\n";
  for (const std::string word :
       {"\"x\"y8:4", "\"x\":4", "x+", "x+8", "x+8:", "x+:4", "x+8:0", "0x1:0",
        "x+18446744073709551615:1", "0xffffffffffffffff:2", "0x1:4:4"}) {
    EXPECT_EQ(error_of("rd 1 " + word), "t:1: error: '" + word + "'" + advice);
  }
}

TEST(TiddleErrors, LongWordsAreCut) {
  EXPECT_EQ(error_of(std::string(1 << 20, 'x')),
            "t:1: error: unknown operation '" + std::string(60, 'x') + "...'\n");
}

TEST(TiddleErrors, HugeWordsAreRefused) {
  const std::string refusal =
      "t:2: error: a word is longer than 1048576 bytes: '" + std::string(60, 'x') + "...'\n";
  EXPECT_EQ(error_of("\n" + std::string(3 << 20, 'x')), refusal);
  EXPECT_EQ(error_of("\nrd 1 " + std::string(3 << 20, 'x')), refusal);
}

TEST(TiddleErrors, HugeArgumentsAreRefused) {
  std::string text = "user 1 e";
  while (text.size() < 2 << 20) text += " many words";
  EXPECT_EQ(error_of(text), "t:1: error: the arguments of 'user' are longer than 1048576 bytes\n");
}

TEST(TiddleErrors, ASiteNeedsAFileAndPositiveNumbers) {
  EXPECT_EQ(error_of("rd 1 x @:3"), "t:1: error: '@:3' is not a site: write @file:line:column\n");
  EXPECT_EQ(error_of("rd 1 x @f:0"), "t:1: error: '@f:0' is not a site: write @file:line:column\n");
  EXPECT_EQ(error_of("rd 1 x @\"f\":1:2:3"),
            "t:1: error: '@\"f\":1:2:3' is not a site: write @file:line:column\n");
}

}  // namespace
}  // namespace foretell::trace
