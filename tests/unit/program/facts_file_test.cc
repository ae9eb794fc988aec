// SPDX-License-Identifier: Apache-2.0

#include "program/facts_file.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>

#include "program/print_facts.h"

namespace foretell::program {
namespace {

// One row of everything, each field with a value of its own.
Facts small_facts() {
  Facts facts;
  facts.subject = {"./prog", 1234, 0xfedcba9876543210};
  facts.modules = {{"a.c", ~uint64_t{0}, SiteIndex{0}, 2}, {"empty.c", 7, SiteIndex{2}, 0}};
  facts.sites = {{{"a.c", 3, 5}, "main", "x", SiteKind::step, false},
                 {{"lib.h", 70, 1}, "lib", "", SiteKind::call, true}};
  facts.functions = {
      {"main", "main", {"a.c", 2, 0}, SiteIndex{1}, Body::present, RunBy::initial_thread},
      {"_Z1fv", "f()", {}, {}, Body::unknown, RunBy::any_thread}};
  facts.calls = {{FunctionIndex{0}, FunctionIndex{1}, SiteIndex{1}, true}};
  facts.branches = {{FunctionIndex{0}, {"a.c", 9, 1}, 300, {}, BranchKind::choice},
                    {FunctionIndex{0}, {"a.c", 8, 1}, 2, SiteIndex{1}, BranchKind::call}};
  facts.targets = {{ObjectIndex{0}, 8, 16}, {ObjectIndex{1}, 0, 1}, {ObjectIndex{1}, 4, 0}};
  facts.memory = {{{TargetIndex{0}, TargetIndex{2}}, false, Sharing::initial_thread},
                  {{}, true, Sharing::shared}};
  facts.objects = {{ObjectKind::global,
                    "x",
                    {"a.c", 1, 0},
                    {},
                    {},
                    GlobalRow{ModuleIndex{0}, 4},
                    Sharing::initial_thread,
                    false},
                   {ObjectKind::heap,
                    "malloc",
                    {"a.c", 4, 2},
                    FunctionIndex{0},
                    SiteIndex{1},
                    {},
                    Sharing::shared,
                    true}};
  facts.accesses = {{SiteIndex{0}, FunctionIndex{0}, AccessKind::update, MemoryIndex{0}}};
  facts.scopes = {{BranchIndex{0},
                   {SiteIndex{0}, SiteIndex{1}},
                   MemoryIndex{0},
                   true,
                   false,
                   true,
                   false,
                   true,
                   false},
                  {BranchIndex{1}, {}, MemoryIndex{1}, false, true, false, true, false, true}};
  facts.dependences = {
      {FunctionIndex{0},
       UseRole::condition,
       {},
       BranchIndex{0},
       0,
       {SiteIndex{0}},
       {ParameterIndex{1}},
       {SiteIndex{1}},
       {BranchIndex{1}},
       true},
      {FunctionIndex{0}, UseRole::argument, SiteIndex{1}, {}, 2, {}, {}, {}, {}, false}};
  facts.unknowns = {{UnknownKind::external_function, "f()", 3}};
  return facts;
}

TEST(FactsFile, RoundTripLosesNothing) {
  const Facts facts = small_facts();
  const auto read = decode_facts(encode_facts(facts), "facts");
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(*read, facts);
}

TEST(FactsFile, NoFactsAreFactsToo) {
  const auto read = decode_facts(encode_facts({}), "facts");
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(*read, Facts{});
}

TEST(FactsFile, EveryFlippedBitIsFound) {
  const std::string good = encode_facts(small_facts());
  for (size_t i = 0; i < good.size() * 8; i++) {
    std::string damaged = good;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    EXPECT_FALSE(decode_facts(damaged, "facts")) << "bit " << i;
  }
}

TEST(FactsFile, EveryTruncationIsFound) {
  const std::string good = encode_facts(small_facts());
  for (size_t size = 0; size < good.size(); size++)
    EXPECT_FALSE(decode_facts(good.substr(0, size), "facts")) << size;
}

// A file of one section, with right checksums.
std::string file_of(const char* tag, const std::string& content) {
  std::string file(encode_facts({}).substr(0, 16));
  const auto append = [&](const char* name, const std::string& bytes) {
    uint64_t words[] = {0, bytes.size(), 0};
    std::memcpy(words, name, 4);
    words[2] = XXH3_64bits_withSeed(bytes.data(), bytes.size(), words[0]);
    file.append(reinterpret_cast<const char*>(words), sizeof words).append(bytes);
  };
  append("STRS", std::string("\1\1a", 3));
  append(tag, content);
  append("END.", "");
  return file;
}

TEST(FactsFile, UnknownSectionsAreSkipped) {
  const auto read = decode_facts(file_of("NEWS", "whatever"), "facts");
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(*read, Facts{});
}

TEST(FactsFile, ForgedRowsAreRefused) {
  // A count without its rows; an access of a site that does not exist; a target that does not exist; an enumerator out of range;
  // bytes left over; a string that does not exist; a number that does not end.
  EXPECT_FALSE(decode_facts(file_of("SITE", "\x7f"), "facts"));
  EXPECT_FALSE(decode_facts(file_of("ACCE", std::string("\1\0\0\0\0", 5)), "facts"));
  EXPECT_FALSE(decode_facts(file_of("MEMO", std::string("\1\0\0\3", 4)), "facts"));
  EXPECT_FALSE(decode_facts(file_of("MEMO", std::string("\1\0\0\0\0", 5)), "facts"));
  EXPECT_FALSE(decode_facts(file_of("UNKN", std::string("\1\0\1\0", 4)), "facts"));
  EXPECT_FALSE(decode_facts(file_of("MEMO", std::string("\1\1\0\0\0", 5)), "facts"));
  EXPECT_FALSE(
      decode_facts(file_of("UNKN", std::string("\1\0\0", 3) + std::string(11, '\xff')), "facts"));
  EXPECT_TRUE(decode_facts(file_of("MEMO", std::string("\1\0\1\2", 4)), "facts"));
}

TEST(FactsFile, RandomSectionsNeverCrash) {
  uint64_t state = 1;
  for (int round = 0; round < 20000; round++) {
    std::string content;
    for (int i = 0; i < 40; i++) {
      state = state * 6364136223846793005 + 1442695040888963407;
      content += static_cast<char>(state >> 60);
    }
    constexpr const char* kTags[] = {"MODU", "SITE", "FUNC", "CALL", "BRCH", "MEMO",
                                     "OBJE", "ACCE", "TARG", "SCOP", "DEPE"};
    const auto read = decode_facts(file_of(kTags[round % 11], content), "facts");
    if (read) facts_text(*read, "");
  }
}

TEST(FactsFile, AnotherVersionIsNamed) {
  std::string file = encode_facts({});
  file[8] = 9;
  const auto read = decode_facts(file, "old.facts");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, "old.facts");
  EXPECT_NE(read.error().message.find("version 9"), std::string::npos);
}

TEST(FactsFile, IsKnownByItsMagic) {
  EXPECT_TRUE(is_facts_file(encode_facts({})));
  EXPECT_FALSE(is_facts_file("FTFACTS"));
  EXPECT_FALSE(decode_facts("nothing", "facts"));
}

TEST(FactsText, ListsWhatIsSharedAndWhatIsUnknown) {
  const std::string text = facts_text(small_facts(), "/home");
  EXPECT_NE(
      text.find("not shared between threads\n  global       x  a.c:1  (only the initial thread"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("may be shared\n  heap         malloc  a.c:4:2  in main  (unknown code"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("main  a.c:2  run by initial thread, 1 branch\n    calls f()"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("external function f(), 3 times"), std::string::npos) << text;
}

}  // namespace
}  // namespace foretell::program
