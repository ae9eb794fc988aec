// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/closest.h"
#include "base/dense_table.h"
#include "base/diagnostic.h"
#include "base/input_file.h"
#include "base/interner.h"
#include "base/output.h"
#include "base/printable.h"
#include "base/split.h"

namespace foretell {
namespace {

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
}

TEST(Closest, CountsInsertedRemovedReplacedAndSwappedLetters) {
  EXPECT_EQ(typing_distance("run", "run"), 0u);
  EXPECT_EQ(typing_distance("rnu", "run"), 1u);
  EXPECT_EQ(typing_distance("", "abc"), 3u);
  EXPECT_EQ(typing_distance("analyse", "analyze"), 1u);
  EXPECT_EQ(typing_distance("kitten", "sitting"), 3u);
}

TEST(Closest, IsSilentIfNothingIsNear) {
  const std::vector<std::string> words = {"run", "record", "replay", "report"};
  EXPECT_EQ(closest("recrod", words), "record");
  EXPECT_EQ(closest("repot", words), "report");
  EXPECT_EQ(closest("x", words), std::nullopt);
  EXPECT_EQ(closest("constrain", words), std::nullopt);
  EXPECT_EQ(closest("run", {}), std::nullopt);
}

TEST(Diagnostic, LooksLikeClang) {
  Diagnostic diagnostic = Diagnostic{"it is wrong", "a.c:3"}.with_note("fix it");
  EXPECT_EQ(diagnostic.to_text(), "a.c:3: error: it is wrong\nnote: fix it\n");
}

TEST(Diagnostic, IsNoCommandToATerminal) {
  EXPECT_EQ((Diagnostic{"no file '\x1b[2J'", "a\tb"}).to_text(),
            "a\tb: error: no file '\\x1b[2J'\n");
}

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m\x07\x7f\n\t"), "a\\x1b[31m\\x07\\x7f\\x0a\\x09");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");
  EXPECT_EQ(printable_lines("a\n\tb\r"), "a\n\tb\\x0d");
}

TEST(Printable, ReplacesWhatChangesTheDirectionOfText) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"),
            "a\\u202eb\\u2066");
  EXPECT_EQ(printable("\xd8\x9c"), "\\u061c");
}

TEST(Printable, LeavesOtherTextAlone) {
  for (std::string_view text :
       {"", "plain", "größe", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff\xc3", "\xe2\x80"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text), text);
  }
}

TEST(Interner, ACopyOwnsItsKeys) {
  auto original = std::make_unique<Interner<LockId>>();
  original->intern("a long name that is no small string");
  Interner<LockId> copy = *original;
  original.reset();
  EXPECT_EQ(copy.intern("a long name that is no small string"), LockId{0});
  EXPECT_EQ(copy.size(), 1u);
}

TEST(DenseTable, GrowsOnFirstUse) {
  DenseTable<int, LockId> table;
  EXPECT_EQ(table.find(LockId{5}), nullptr);
  table[LockId{5}] = 7;
  EXPECT_EQ(*table.find(LockId{5}), 7);
  EXPECT_EQ(table[LockId{2}], 0);
}

TEST(InputFile, SaysWhatIsWrong) {
  EXPECT_NE(InputFile::open("/no/such/file").error().message.find("No such file"),
            std::string::npos);
  EXPECT_NE(InputFile::open("/").error().message.find("directory"), std::string::npos);
}

TEST(InputFile, ReadsHolesAsZeros) {
  const std::string path = testing::TempDir() + "holes";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  constexpr off_t kSize = 1'000'003, kMiddle = 500'000;
  ASSERT_EQ(::pwrite(fd, "a", 1, 0), 1);
  ASSERT_EQ(::pwrite(fd, "b", 1, kMiddle), 1);
  ASSERT_EQ(::ftruncate(fd, kSize), 0);
  ::close(fd);
  auto file = InputFile::open(path);
  ASSERT_TRUE(file);
  std::string expected(kSize, '\0');
  expected[0] = 'a';
  expected[kMiddle] = 'b';
  EXPECT_TRUE(file->bytes() == expected);
  ::unlink(path.c_str());
}

TEST(InputFile, ReadsAnEmptyFile) {
  auto file = InputFile::open("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(Output, AFullDiskIsAnError) {
  auto done = write_text("/dev/full", "text");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().exit_code, ExitCode::io_error);
}

}  // namespace
}  // namespace foretell
