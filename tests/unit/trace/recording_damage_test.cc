// SPDX-License-Identifier: Apache-2.0

// Recordings of killed programs, and damaged ones.
#include <cstdio>
#include <fstream>

#include "trace/recording/facts.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;

// Two chunks of records behind one of modules.
RecordingBuilder two_record_chunks() {
  RecordingBuilder b;
  for (uint64_t i = 0; i < 400; ++i) b.record(Write4, 0, kHeap, i);
  return b;
}

// Where the n-th chunk of records begins.
size_t chunk_at(const std::string& file, size_t n) {
  size_t offset = recording::kHeaderSize;
  for (;;) {
    recording::ChunkHeader chunk;
    std::memcpy(&chunk, file.data() + offset, sizeof chunk);
    if (chunk.kind == recording::StreamKind::events && n-- == 0) return offset;
    offset += sizeof chunk + (chunk.used + 7) / 8 * 8;
  }
}

size_t lines(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

TEST(RecordingDamage, WholeRecordingsWarnOfNothing) {
  Recorded recorded(two_record_chunks());
  EXPECT_EQ(lines(recorded.text()), 400u);
  EXPECT_EQ(warnings_of(recorded.reader()), "");
}

TEST(RecordingDamage, GapsBeforeAlignedChunksAreSkipped) {
  RecordingBuilder b = two_record_chunks();
  const size_t packed = b.bytes().size();
  b.aligned = true;
  EXPECT_GT(b.bytes().size(), packed);
  EXPECT_EQ(lines(Recorded(b).text()), 400u);
  b.leave_open = true;
  EXPECT_EQ(lines(Recorded(b).text()), 400u);
}

TEST(RecordingDamage, AKilledProgramLeavesWhatItHadRecorded) {
  RecordingBuilder b = two_record_chunks();
  b.leave_open = true;
  b.header.state = recording::State::running;
  Recorded recorded(b);
  EXPECT_EQ(lines(recorded.text()), 400u);
  EXPECT_EQ(warnings_of(recorded.reader()),
            "run.rec: warning: the recording has no end: it is read up to its last record\n"
            "note: the program was killed, or it is still running\n");
  EXPECT_EQ(recorded.reader().warnings()[0].exit_code, ExitCode::cut_short);
}

TEST(RecordingDamage, AWrongChecksumIsAnError) {
  std::string bytes = two_record_chunks().bytes();
  const size_t first = chunk_at(bytes, 0);
  bytes[first + 100] ^= 1;
  EXPECT_EQ(Recorded(bytes).text(),
            fmt::format("run.rec: error: the chunk at offset {} is damaged: the checksum does not "
                        "match\n",
                        first));
}

TEST(RecordingDamage, AMissingChunkIsAnError) {
  std::string bytes = two_record_chunks().bytes();
  bytes[chunk_at(bytes, 0) + offsetof(recording::ChunkHeader, ordinal)] = 5;
  EXPECT_EQ(Recorded(bytes).error(),
            fmt::format("run.rec: error: the chunk at offset {} is number 1 of its stream, but "
                        "number 0 is missing\n",
                        chunk_at(bytes, 1)));
}

TEST(RecordingDamage, AChunkThatWasBeingDrainedCountsOnce) {
  RecordingBuilder b = two_record_chunks();
  b.leave_open = true;
  std::string bytes = b.bytes();
  const std::string first = bytes.substr(chunk_at(bytes, 0), 4096);
  recording::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.windows[0].slots++;
  header.body_end += 4096;
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes += first;
  EXPECT_EQ(lines(Recorded(bytes).text()), 400u);
}

TEST(RecordingDamage, EveryCutIsReadUpToThere) {
  RecordingBuilder b = two_record_chunks();
  b.leave_open = true;
  const std::string whole = b.bytes();
  size_t most = 0;
  for (size_t end = chunk_at(whole, 0); end <= whole.size(); end += 8) {
    // What a program killed at this moment had not stored yet is zero.
    std::string cut = whole;
    std::memset(cut.data() + end, 0, cut.size() - end);
    Recorded recorded(cut);
    most = std::max(most, lines(recorded.text()));
  }
  EXPECT_EQ(most, 400u);
}

TEST(RecordingDamage, OtherVersionsAndDamagedHeadersAreNamed) {
  RecordingBuilder b;
  b.header.version = 9;
  EXPECT_EQ(
      Recorded(b).error(),
      "run.rec: error: it has version 9 of the recording format; this Foretell reads versions "
      "1 to 3\n");
  b.header.version = 1;
  EXPECT_EQ(Recorded(b.bytes().substr(0, 20)).error(),
            "run.rec: error: it ends inside its header\n");
  EXPECT_EQ(Recorded(std::string("x")).error(), "run.rec: error: it is not a recording\n");
  std::string bytes = b.bytes();
  bytes[offsetof(recording::FileHeader, state)] = 77;
  EXPECT_EQ(Recorded(bytes).error(),
            "run.rec: error: its header is damaged: mode 0, state 77, divergence 0\n");
  bytes = b.bytes();
  bytes.replace(offsetof(recording::FileHeader, body_begin), 8, 8, '\xff');
  EXPECT_EQ(Recorded(bytes).error(),
            "run.rec: error: its header is damaged: chunks from offset 18446744073709551615\n");
}

TEST(RecordingDamage, VersionOneIsStillRead) {
  RecordingBuilder b = two_record_chunks();
  const std::string now = Recorded(b).text();
  b.header.version = 1;
  b.aligned = true;
  EXPECT_EQ(Recorded(b).text(), now);
}

TEST(RecordingDamage, AChunkInFrontOfAWindowIsNotTakenForAGap) {
  RecordingBuilder b;
  b.record(Write4, 0, kHeap, 1);
  b.leave_open = true;
  std::string bytes = b.bytes();
  // The modules end at a page, as the runtime has it, and so the window begins close behind them.
  const size_t end = chunk_at(bytes, 0);
  ASSERT_LT(end - recording::kHeaderSize, recording::kHeaderSize);
  EXPECT_EQ(lines(Recorded(bytes).text()), 1u);
  EXPECT_EQ(Recorded(bytes).property("modules"), Recorded(two_record_chunks()).property("modules"));
}

TEST(RecordingDamage, ForgedRecordsAreErrors) {
  RecordingBuilder unknown;
  unknown.record(static_cast<recording::Op>(200), 0, kHeap);
  EXPECT_EQ(Recorded(unknown).text(),
            fmt::format("run.rec: error: the chunk at offset {} is malformed: no record at byte 64 "
                        "of it\n",
                        chunk_at(unknown.bytes(), 0)));
  RecordingBuilder order;
  order.record(AtomicRead, 0, kHeap, 9, {0});
  EXPECT_EQ(Recorded(order).text(),
            fmt::format("run.rec: error: the chunk at offset {} is malformed: an atomic operation "
                        "has memory order 9 and size 0\n",
                        chunk_at(order.bytes(), 0)));
  RecordingBuilder site;
  site.record(AtomicRead, recording::kMaxSite + 1, kHeap, 0, {0});
  EXPECT_EQ(Recorded(site).text(),
            fmt::format("run.rec: error: the chunk at offset {} is malformed: no record at byte 64 "
                        "of it\n",
                        chunk_at(site.bytes(), 0)));
  RecordingBuilder thread;
  thread.on(uint64_t{1} << 40);
  EXPECT_EQ(Recorded(thread).text(),
            fmt::format("run.rec: error: the chunk at offset {} is malformed: a record names "
                        "thread 1099511627776\n",
                        chunk_at(thread.bytes(), 0)));
}

TEST(RecordingDamage, AFullDiskIsToldWithItsReason) {
  RecordingBuilder b;
  b.header.dropped_bytes = 7;
  std::strcpy(b.header.error, "cannot grow the recording: No space left on device");
  EXPECT_EQ(
      warnings_of(Recorded(b).reader()),
      "run.rec: warning: recording stopped early: cannot grow the recording: No space left on "
      "device\nnote: 7 bytes of records are missing\n");
}

TEST(RecordingFacts, AreTheHeaderInWords) {
  RecordingBuilder b;
  b.header.seed = 42;
  b.header.state = recording::State::crashed;
  b.header.status = 11;
  b.header.divergence = 2;
  b.header.divergence_thread = 3;
  b.header.divergence_step = 99;
  const std::string path = testing::TempDir() + "facts.rec";
  std::ofstream(path, std::ios::binary) << b.bytes();
  auto facts = read_recording_facts(path);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->seed, 42u);
  EXPECT_EQ(word_of(facts->state), "crashed");
  EXPECT_EQ(facts->status, 11u);
  EXPECT_EQ(word_of(facts->divergence), "finished");
  EXPECT_EQ(facts->divergence_thread, 3u);
  EXPECT_EQ(facts->divergence_step, 99u);
  EXPECT_TRUE(facts->fully_controlled());
  std::remove(path.c_str());
  EXPECT_FALSE(read_recording_facts(path).has_value());
}

}  // namespace
}  // namespace foretell::trace
