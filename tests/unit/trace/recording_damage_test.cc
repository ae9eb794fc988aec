// Recordings of killed programs, and damaged ones.
#include <cstdio>
#include <fstream>

#include "trace/recording/facts.h"
#include "unit/trace/recording_testing.h"

namespace foretell {
namespace {

using enum recording::Op;
using recording::ChunkHeader;

constexpr uint64_t kHeap = 0x7f0000001000;

// Two chunks of records behind one of modules.
RecordingBuilder two_chunks() {
  RecordingBuilder b;
  for (uint64_t i = 0; i < 400; ++i) b.record(Write4, 0, kHeap, i);
  return b;
}
constexpr size_t kFirstChunk = recording::kHeaderSize + 4096, kSecondChunk = kFirstChunk + 4096;
constexpr size_t kRecordsInFirst = (4096 - sizeof(ChunkHeader)) / 16;

size_t lines(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

TEST(RecordingDamage, WholeRecordingsWarnOfNothing) {
  Recorded recorded(two_chunks());
  EXPECT_EQ(lines(recorded.text()), 400u);
  EXPECT_EQ(warnings_of(recorded.reader()), "");
}

TEST(RecordingDamage, AKilledProgramLeavesWhatItHadRecorded) {
  RecordingBuilder b = two_chunks();
  b.leave_open = true;
  b.header.state = recording::State::running;
  Recorded recorded(b);
  EXPECT_EQ(lines(recorded.text()), 400u);
  EXPECT_EQ(warnings_of(recorded.reader()),
            "run.rec: warning: the recording has no end: it is read up to its last record\n"
            "note: the program was killed, or it is still running\n");
  EXPECT_EQ(recorded.reader().warnings()[0].exit_code, ExitCode::cut_short);
}

TEST(RecordingDamage, ARecordWithoutItsExtensionIsTheEnd) {
  RecordingBuilder b;
  b.leave_open = true;
  b.record(Write4, 0, kHeap, 1);
  b.record(AtomicRmw, 0, kHeap, 5 | 4 << 8, {1});
  EXPECT_EQ(Recorded(b).text(), "wr T0 0x7f0000001000:4 1\n");
}

TEST(RecordingDamage, ExtensionsMayStandInTheNextChunk) {
  RecordingBuilder b;
  for (size_t i = 0; i + 1 < kRecordsInFirst; ++i) b.record(Branch, 0, 0, 0);
  b.record(Read8Wide, 0, kHeap, 0, {uint64_t{1} << 62});
  EXPECT_TRUE(Recorded(b).text().ends_with("rd T0 0x7f0000001000:8 4611686018427387904\n"));
}

TEST(RecordingDamage, AWrongChecksumInTheMiddleIsAnError) {
  std::string bytes = two_chunks().bytes();
  bytes[kFirstChunk + 100] ^= 1;
  EXPECT_EQ(Recorded(bytes).text(),
            "run.rec: error: the chunk at offset 8192 is damaged: the checksum does not match\n");
}

TEST(RecordingDamage, AWrongChecksumAtTheEndIsTorn) {
  std::string bytes = two_chunks().bytes();
  std::memset(bytes.data() + kSecondChunk + sizeof(ChunkHeader) + 16 * 10, 0, 16);
  Recorded recorded(bytes);
  EXPECT_EQ(lines(recorded.text()), kRecordsInFirst + 10);
  ASSERT_EQ(recorded.reader().warnings().size(), 1u);
  EXPECT_EQ(recorded.reader().warnings()[0].message,
            "the last chunk of a stream, at offset 12288, is torn: it is read up to its last whole "
            "record");
}

TEST(RecordingDamage, AMissingChunkIsAnError) {
  std::string bytes = two_chunks().bytes();
  std::memset(bytes.data() + kFirstChunk, 0, sizeof(ChunkHeader));
  EXPECT_EQ(Recorded(bytes).error(),
            "run.rec: error: the chunk at offset 12288 is number 1 of its stream, but number 0 is "
            "missing\n");
}

TEST(RecordingDamage, EveryCutIsReadUpToThere) {
  RecordingBuilder b = two_chunks();
  b.leave_open = true;
  const std::string whole = b.bytes();
  size_t last = 0;
  for (size_t size = kSecondChunk; size <= whole.size(); size += 8) {
    Recorded recorded(whole.substr(0, size));
    const size_t events = lines(recorded.text());
    EXPECT_GE(events, last);
    last = events;
  }
  EXPECT_EQ(last, 400u);
}

TEST(RecordingDamage, OtherVersionsAndDamagedHeadersAreNamed) {
  RecordingBuilder b;
  b.header.version = 9;
  EXPECT_EQ(Recorded(b).error(),
            "run.rec: error: it has version 9 of the recording format; this Foretell reads version "
            "1\n");
  b.header.version = 1;
  EXPECT_EQ(Recorded(b.bytes().substr(0, 20)).error(),
            "run.rec: error: it ends inside its header\n");
  EXPECT_EQ(Recorded(std::string("x")).error(), "run.rec: error: it is not a recording\n");
  std::string bytes = b.bytes();
  bytes[offsetof(recording::FileHeader, state)] = 77;
  EXPECT_EQ(Recorded(bytes).error(),
            "run.rec: error: its header is damaged: mode 0, state 77, divergence 0\n");
}

TEST(RecordingDamage, ForgedRecordsAreErrors) {
  RecordingBuilder unknown;
  unknown.record(static_cast<recording::Op>(200), 0, kHeap);
  EXPECT_EQ(Recorded(unknown).text(),
            "run.rec: error: the chunk at offset 8192 is malformed: unknown operation 200 at byte "
            "64 of it\n");
  RecordingBuilder order;
  order.record(AtomicRead, 0, kHeap, 9, {0});
  EXPECT_EQ(Recorded(order).text(),
            "run.rec: error: the chunk at offset 8192 is malformed: an atomic operation has memory "
            "order 9 and size 0\n");
  RecordingBuilder thread;
  thread.on(uint64_t{1} << 40);
  EXPECT_EQ(Recorded(thread).text(),
            "run.rec: error: the chunk at offset 8192 is malformed: a record names thread "
            "1099511627776\n");
}

TEST(RecordingDamage, AFullDiskIsToldWithItsReason) {
  RecordingBuilder b;
  b.header.dropped_bytes = 7;
  std::strcpy(b.header.error, "cannot grow the recording: No space left on device");
  EXPECT_EQ(
      warnings_of(Recorded(b).reader()),
      "run.rec: warning: recording stopped early: cannot grow the recording: No space left on "
      "device\nnote: 7 records are missing\n");
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
}  // namespace foretell
