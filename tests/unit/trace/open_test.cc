// SPDX-License-Identifier: Apache-2.0

#include "trace/open.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "unit/trace/read_back.h"

namespace foretell::trace {
namespace {

using namespace std::string_view_literals;

std::string detected(std::string_view bytes, std::string_view name = "trace") {
  auto format = detect_format(bytes, name);
  return format ? std::string(name_of(*format)) : format.error().to_text();
}

TEST(TraceFormats, NamesReadBack) {
  for (uint8_t i = 0; i < kTraceFormatCount; ++i) {
    EXPECT_EQ(parse_format(name_of(TraceFormat{i})), TraceFormat{i});
  }
  EXPECT_EQ(parse_format("rapid-binary"), TraceFormat::rapid_binary);
  EXPECT_EQ(parse_format("csv"), std::nullopt);
  EXPECT_EQ(parse_format(""), std::nullopt);
}

TEST(DetectFormat, FtraceByItsMagic) {
  EXPECT_EQ(detected("FTRACE\x1a\n\0\0"sv), "ftrace");
}

TEST(DetectFormat, RapidBinaryByItsArithmetic) {
  EXPECT_EQ(detected("\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"sv), "rapid-binary");
}

TEST(DetectFormat, TornRapidBinaryByItsName) {
  const auto torn = "\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\7rest"sv;
  EXPECT_EQ(detected(torn, "t.data"), "rapid-binary");
  EXPECT_EQ(detected(torn, "t.bin"), "rapid-binary");
  EXPECT_EQ(detected("rd 1 x", "t.bin"), "tiddle");
}

TEST(DetectFormat, BinaryGarbageIsNoTrace) {
  EXPECT_EQ(detected("\x7f"
                     "ELF\2\1\1\0"sv,
                     "a.out"),
            "a.out: error: not a trace in any known format\n"
            "note: if it is one, name its format with --input-format\n");
}

TEST(DetectFormat, StdByItsBars) {
  EXPECT_EQ(detected("T0|r(x)|1"), "std");
  EXPECT_EQ(detected("# a comment\n\nT0|r(x)|1"), "std");
  EXPECT_EQ(detected("Thread 1|r(x)|1"), "std");
  EXPECT_EQ(detected("T0|oops"), "std");
}

TEST(DetectFormat, ABarInATiddleNameIsNotStd) {
  EXPECT_EQ(detected("rd 1 a|b"), "tiddle");
  EXPECT_EQ(detected("// a|b\nrd 1 x"), "tiddle");
}

TEST(DetectFormat, RoadRunnerByItsEventsBetweenOtherOutput) {
  EXPECT_EQ(detected("@     Acquire(0,@01)"), "roadrunner");
  EXPECT_EQ(detected("[main: | starting]\n\nhello\n@ Rd(0,x)\n"), "roadrunner");
}

TEST(DetectFormat, AnythingElseIsTiddle) {
  EXPECT_EQ(detected(""), "tiddle");
  EXPECT_EQ(detected("\n\n"), "tiddle");
  EXPECT_EQ(detected("wr 1 x 1 @Acquire(0):3"), "tiddle");
  EXPECT_EQ(detected("hello world"), "tiddle");
  EXPECT_EQ(detected("wr 1 größe"), "tiddle");
}

TEST(DetectFormat, AByteOrderMarkDoesNotMatter) {
  EXPECT_EQ(detected("\xef\xbb\xbfT0|r(x)|1"), "std");
  EXPECT_EQ(detected("\xef\xbb\xbf@ Rd(0,x)"), "roadrunner");
  EXPECT_EQ(detected("\xef\xbb\xbfrd 1 x"), "tiddle");
}

std::string opened(std::string_view bytes, std::optional<TraceFormat> format = {}) {
  auto reader = open_trace(InputFile::from_memory(bytes, "trace"), format);
  return reader ? read_back(**reader) : reader.error().to_text();
}

TEST(OpenTrace, ReadsWhatItDetects) {
  EXPECT_EQ(opened(""), "");
  EXPECT_EQ(opened("rd 1 x"), "rd 1 x\n");
  EXPECT_EQ(opened("\xef\xbb\xbfrd 1 x"), "rd 1 x\n");
  EXPECT_EQ(opened("1|r(x)"), "rd 1 x\n");
  EXPECT_EQ(opened("@ Rd(1,x)"), "rd 1 x\n");
  EXPECT_EQ(opened("\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\7\0\0\0\0\x08\1"sv), "rd T1 V0 @7\n");
}

TEST(OpenTrace, AGivenFormatOverrides) {
  EXPECT_EQ(opened("rd 1 x", TraceFormat::std),
            "trace:1: error: no '|' after the thread in 'rd 1 x'\n");
  EXPECT_EQ(opened("1|r(x)", TraceFormat::tiddle), "trace:1: error: unknown operation '1|r(x)'\n");
}

TEST(OpenTrace, GarbageIsAnError) {
  EXPECT_EQ(opened("\0\1\2"sv),
            "trace: error: not a trace in any known format\n"
            "note: if it is one, name its format with --input-format\n");
}

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_(testing::TempDir() + "foretell_open_XXXXXX") {
    ::close(::mkstemp(path_.data()));
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(OpenTrace, AMappedFileReadsTwiceThoughItsPagesAreGivenBack) {
  std::string text;
  while (text.size() < (size_t{40} << 20)) text += "T0|r(a_name_to_fill_the_file_with)|1\n";
  TemporaryFile file(text);
  auto reader = open_trace(*InputFile::open(file.path()), {});
  ASSERT_TRUE(reader);
  std::vector<Event> events(kBatchSize);
  for (int pass = 0; pass < 2; ++pass) {
    size_t count = 0;
    for (auto got = (*reader)->read(events); got && *got > 0; got = (*reader)->read(events)) {
      count += *got;
    }
    EXPECT_EQ(count, text.size() / 37);
    (*reader)->rewind();
  }
}

}  // namespace
}  // namespace foretell::trace
