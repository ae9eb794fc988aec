// SPDX-License-Identifier: Apache-2.0

// Torn, damaged and forged .ftrace files: a readable prefix or a clean error, never anything else.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/synthetic/pcg.h"
#include "unit/trace/ftrace_testing.h"

namespace foretell::trace {
namespace {

using ftrace::ChunkHeader;
using ftrace::FileHeader;
using ftrace::Footer;
using ftrace::IndexEntry;
using ftrace::IndexHeader;

constexpr size_t kFirstChunk = sizeof(FileHeader);

size_t second_chunk(const std::string& file) {
  return kFirstChunk + header_at<ChunkHeader>(file, kFirstChunk).whole_size();
}

// Two chunks: the second of two events.
const Trace& two_chunks() {
  static const Trace trace = synthetic_trace(
      {.events = ftrace::kChunkEvents + 2, .threads = 3, .locks = 3, .locations = 50, .sites = 20});
  return trace;
}
const std::string& two_chunks_file() {
  static const std::string file = to_ftrace(two_chunks());
  return file;
}

std::string without_index(std::string file) {
  const auto footer = header_at<Footer>(file, file.size() - sizeof(Footer));
  file.resize(footer.index_offset);
  return file;
}

TEST(FtraceDamage, EveryTruncationReadsAPrefixOrFailsCleanly) {
  const Trace trace = tiddle(kEveryKind);
  const std::string file = to_ftrace(trace);
  const size_t whole = second_chunk(file);
  for (size_t size = 0; size < file.size(); ++size) {
    const ReadBack back = from_ftrace(std::string(file, 0, size));
    EXPECT_EQ(back.error.empty(), size >= kFirstChunk) << size;
    EXPECT_EQ(back.warnings.size(), size >= kFirstChunk ? 1u : 0u) << size;
    EXPECT_EQ(back.trace.events.size(), size >= whole ? trace.events.size() : 0) << size;
    EXPECT_TRUE(is_prefix(back.trace.events, trace.events)) << size;
  }
}

TEST(FtraceDamage, TruncationAroundASecondChunkKeepsTheFirst) {
  const std::string& file = two_chunks_file();
  const size_t second = second_chunk(file);
  for (size_t size = second; size < file.size(); size += 7) {
    const ReadBack back = from_ftrace(std::string_view(file).substr(0, size));
    const bool whole = size >= second + header_at<ChunkHeader>(file, second).whole_size();
    EXPECT_EQ(back.error, "") << size;
    EXPECT_EQ(back.trace.events.size(), ftrace::kChunkEvents + (whole ? 2 : 0)) << size;
    EXPECT_TRUE(is_prefix(back.trace.events, two_chunks().events)) << size;
  }
}

TEST(FtraceDamage, ATornFileSaysWhereAndHowMuch) {
  const std::string& file = two_chunks_file();
  const size_t second = second_chunk(file);
  const ReadBack back = from_ftrace(std::string_view(file).substr(0, second + 60));
  ASSERT_EQ(back.warnings.size(), 1u);
  EXPECT_EQ(back.warnings[0].to_text("warning"),
            fmt::format("t.ftrace: warning: the file is torn at offset {} of {}: read 65536 events "
                        "up to there\nnote: the program that wrote it was killed, or the file was "
                        "copied before it was whole\n",
                        second, second + 60));
}

TEST(FtraceDamage, AHoleAtTheEndIsATornEnd) {
  std::string file = without_index(two_chunks_file());
  const size_t second = second_chunk(file);
  std::fill(file.begin() + static_cast<ptrdiff_t>(second + 60), file.end(), '\0');
  const ReadBack back = from_ftrace(file);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.trace.events.size(), ftrace::kChunkEvents);
}

TEST(FtraceDamage, AnyChangedByteGivesAnErrorOrTheSameEvents) {
  const Trace trace = tiddle(kEveryKind);
  const std::string file = to_ftrace(trace);
  for (size_t i = 0; i < file.size(); ++i) {
    for (int bit : {0, 3, 7}) {
      std::string changed = file;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const ReadBack back = from_ftrace(changed);
      if (back.error.empty()) {
        EXPECT_EQ(back.trace.events, trace.events) << i;
        EXPECT_EQ(back.warnings.size(), 1u) << i;
      }
    }
  }
}

TEST(FtraceDamage, ADamagedChunkIsAnErrorWithItsOffset) {
  std::string file = two_chunks_file();
  file[kFirstChunk + sizeof(ChunkHeader) + 5] ^= 1;
  EXPECT_EQ(from_ftrace(file).error,
            "t.ftrace: error: the chunk at offset 32 is damaged: its checksum does not match\n");
}

TEST(FtraceDamage, ADamagedMiddleIsAnErrorWithoutIndexToo) {
  for (size_t at : {kFirstChunk + 20, kFirstChunk + 500}) {
    std::string file = without_index(two_chunks_file());
    file[at] ^= 1;
    const ReadBack back = from_ftrace(file);
    EXPECT_NE(back.error.find("the chunk at offset 32 is damaged"), std::string::npos)
        << back.error;
  }
}

TEST(FtraceDamage, EventsBeforeADamagedChunkAreRead) {
  std::string file = two_chunks_file();
  const size_t second = second_chunk(file);
  file[second + sizeof(ChunkHeader) + 5] ^= 1;
  const ReadBack back = from_ftrace(file);
  EXPECT_NE(back.error.find(fmt::format("offset {}", second)), std::string::npos);
  EXPECT_GE(back.trace.events.size(), ftrace::kChunkEvents / 1000 * 1000);
  EXPECT_TRUE(is_prefix(back.trace.events, two_chunks().events));
}

TEST(FtraceDamage, AMissingIndexLosesNoEvent) {
  const ReadBack back = from_ftrace(without_index(two_chunks_file()));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.warnings.size(), 1u);
  EXPECT_EQ(back.trace.events, two_chunks().events);
}

TEST(FtraceDamage, AnotherVersionIsNamedBesideOurs) {
  std::string file = to_ftrace(tiddle("rd 1 x"));
  auto header = header_at<FileHeader>(file, 0);
  header.version = 4;
  put_header(file, 0, header);
  EXPECT_EQ(from_ftrace(file).error,
            "t.ftrace: error: it has version 4 of the .ftrace format; this Foretell reads versions "
            "1 to 3\n");
}

TEST(FtraceDamage, OtherFilesAreNotFtrace) {
  EXPECT_EQ(from_ftrace("").error, "t.ftrace: error: it is not an .ftrace file\n");
  EXPECT_EQ(from_ftrace("rd 1 x\n").error, "t.ftrace: error: it is not an .ftrace file\n");
  EXPECT_FALSE(looks_like_ftrace("FTRACE\n"));
  EXPECT_TRUE(looks_like_ftrace(two_chunks_file()));
}

// Forged: the checksums are right, the contents are not.

TEST(FtraceForged, HugeSizesAreNotBelieved) {
  using Field = uint32_t ChunkHeader::*;
  for (Field field :
       {&ChunkHeader::event_count, &ChunkHeader::definitions_raw, &ChunkHeader::events_raw,
        &ChunkHeader::events_size, &ChunkHeader::definitions_size}) {
    std::string file = to_ftrace(tiddle(kEveryKind));
    auto header = header_at<ChunkHeader>(file, kFirstChunk);
    header.*field = UINT32_MAX;
    put_header(file, kFirstChunk, header);
    EXPECT_NE(from_ftrace(file).error, "");
    EXPECT_TRUE(from_ftrace(without_index(file)).trace.events.empty());
  }
}

TEST(FtraceForged, AnIndexOfHugeCountIsIgnored) {
  const Trace trace = tiddle(kEveryKind);
  std::string file = to_ftrace(trace);
  const auto footer = header_at<Footer>(file, file.size() - sizeof(Footer));
  auto index = header_at<IndexHeader>(file, footer.index_offset);
  index.chunk_count = uint64_t{1} << 61;
  put_header(file, footer.index_offset, index);
  const ReadBack back = from_ftrace(file);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.trace.events, trace.events);
}

TEST(FtraceForged, TooManyOrTooFewEventsAreMalformed) {
  for (int change : {-1, 1}) {
    std::string file = without_index(to_ftrace(tiddle(kEveryKind)));
    auto header = header_at<ChunkHeader>(file, kFirstChunk);
    header.event_count += static_cast<uint32_t>(change);
    put_header(file, kFirstChunk, header);
    EXPECT_NE(from_ftrace(file).error.find("the chunk at offset 32 is malformed"),
              std::string::npos);
  }
}

TEST(FtraceForged, IdsWithoutRowsAreMalformed) {
  const Trace good = tiddle(kEveryKind);
  for (size_t i = 0; i < good.events.size(); ++i) {
    const Operands operands = operands_of(good.events[i].kind);
    const bool has_object =
        operands != Operands::None && operands != Operands::Order && operands != Operands::Branch;
    const bool has_extra_id =
        operands == Operands::Wait || operands == Operands::Wake || operands == Operands::User;
    auto error_with = [&](auto change) {
      Trace bad = good;
      change(bad.events[i]);
      return from_ftrace(to_ftrace(bad)).error;
    };
    EXPECT_NE(error_with([](Event& e) { e.thread = ThreadId{1000}; }), "") << i;
    EXPECT_NE(error_with([](Event& e) { e.site = SiteId{1000}; }), "") << i;
    if (has_object) EXPECT_NE(error_with([](Event& e) { e.object = 1000; }), "") << i;
    if (has_extra_id) EXPECT_NE(error_with([](Event& e) { e.extra = 1000; }), "") << i;
    if (has_extra_id) EXPECT_NE(error_with([](Event& e) { e.extra = ~uint64_t{0}; }), "") << i;
  }
}

TEST(FtraceForged, AnObjectOfAnEmptyTableIsMalformed) {
  Trace trace;
  trace.tables.threads.intern("1");
  trace.events.push_back({.kind = EventKind::Acquire});
  EXPECT_EQ(from_ftrace(to_ftrace(trace)).error,
            "t.ftrace: error: the chunk at offset 32 is malformed: it has 'acq' events of an empty "
            "table\n");
}

TEST(FtraceForged, ChangedContentsWithRightChecksumsNeverCrash) {
  const std::string good = without_index(to_ftrace(tiddle(kEveryKind)));
  Pcg random(7);
  size_t errors = 0;
  for (int round = 0; round < 6'000; ++round) {
    std::string file = good;
    const size_t changes = 1 + random.below(3);
    for (size_t i = 0; i < changes; ++i) {
      const size_t payload = kFirstChunk + sizeof(ChunkHeader);
      const size_t at = payload + random.below(static_cast<uint32_t>(file.size() - payload));
      file[at] = static_cast<char>(random.next());
    }
    reseal_chunk(file, kFirstChunk);
    errors += !from_ftrace(file).error.empty();
  }
  EXPECT_GT(errors, 3'000u);
}

TEST(FtraceForged, ABombIsNotInflated) {
  // Megabytes of zeros are a few bytes in a zstd frame; no header may promise that much.
  const std::string good = without_index(to_ftrace(tiddle("rd 1 x")));
  auto header = header_at<ChunkHeader>(good, kFirstChunk);
  header.definitions_raw = ftrace::kMaxDefinitions + 1;
  std::string file = good;
  put_header(file, kFirstChunk, header);
  EXPECT_TRUE(from_ftrace(file).trace.events.empty());

  header = header_at<ChunkHeader>(good, kFirstChunk);
  header.events_raw = ftrace::kMaxBytesPerEvent + 1;
  put_header(file, kFirstChunk, header);
  EXPECT_TRUE(from_ftrace(file).trace.events.empty());
}

}  // namespace
}  // namespace foretell::trace
