// SPDX-License-Identifier: Apache-2.0

#include "trace/rapid_binary/rapid_binary_reader.h"

#include <gtest/gtest.h>

#include "unit/trace/read_back.h"

namespace foretell::trace {
namespace {

std::string big_endian(uint64_t value, int size) {
  std::string out;
  for (int i = size - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string header(uint16_t threads, uint32_t locks, uint32_t variables, uint64_t events) {
  return big_endian(threads, 2) + big_endian(locks, 4) + big_endian(variables, 4) +
         big_endian(events, 8);
}

enum Operation : uint64_t { acq, rel, r, w, fork, join, begin, end, req };

std::string event(uint64_t thread, uint64_t operation, uint64_t operand, uint64_t site) {
  return big_endian(thread | operation << 10 | operand << 14 | site << 48, 8);
}

std::unique_ptr<TraceReader> binary_reader_of(std::string_view bytes) {
  return make_rapid_binary_reader(InputFile::from_memory(bytes, "t.data"));
}

std::string binary_as_tiddle(std::string_view bytes) {
  return read_back(*binary_reader_of(bytes));
}

TEST(RapidBinaryReader, ReadsEveryOperation) {
  const std::string bytes = header(2, 3, 4, 9) + event(0, fork, 1, 1) + event(0, begin, 0, 2) +
                            event(0, req, 2, 3) + event(0, acq, 2, 3) + event(0, r, 3, 32767) +
                            event(0, w, 0, 0) + event(0, rel, 2, 6) + event(0, end, 0, 7) +
                            event(0, join, 1, 8);
  EXPECT_EQ(binary_as_tiddle(bytes),
            "fork T0 T1 @1\nbeg T0 B0 @2\nreq T0 L2 @3\nacq T0 L2 @3\nrd T0 V3 @32767\n"
            "wr T0 V0 @0\nrel T0 L2 @6\nend T0 B0 @7\njoin T0 T1 @8\n");
  EXPECT_EQ(warnings_of(*binary_reader_of(bytes)), "");
}

TEST(RapidBinaryReader, TheTopBitIsIgnored) {
  EXPECT_EQ(binary_as_tiddle(header(1, 0, 1, 1) + event(0, r, 0, 0x8005)), "rd T0 V0 @5\n");
}

TEST(RapidBinaryReader, ATornFileIsReadToItsLastWholeEvent) {
  const std::string bytes = header(1, 0, 1, 3) + event(0, r, 0, 1) + "torn";
  EXPECT_EQ(binary_as_tiddle(bytes), "rd T0 V0 @1\n");
  EXPECT_EQ(warnings_of(*binary_reader_of(bytes)),
            "t.data: warning: the file ends after 1 of the 3 events its header promises\n");
}

TEST(RapidBinaryReader, BytesAfterTheLastEventAreIgnored) {
  const std::string bytes = header(1, 0, 1, 1) + event(0, r, 0, 1) + event(0, w, 0, 1);
  EXPECT_EQ(binary_as_tiddle(bytes), "rd T0 V0 @1\n");
  EXPECT_EQ(warnings_of(*binary_reader_of(bytes)),
            "t.data: warning: 8 bytes after the 1 events of the header are ignored\n");
}

TEST(RapidBinaryReader, AHeaderMayPromiseTheMoon) {
  const std::string bytes = header(65535, ~0u, ~0u, ~uint64_t{0}) + event(1, acq, 0xfffffffe, 1);
  EXPECT_EQ(binary_as_tiddle(bytes), "acq T1 L4294967294 @1\n");
}

TEST(RapidBinaryReader, TooShortForAHeader) {
  EXPECT_EQ(binary_as_tiddle("short"),
            "t.data: error: 5 bytes are too few for the 18-byte header of a binary trace\n");
}

TEST(RapidBinaryReader, NumbersBeyondTheHeaderNameEventAndOffset) {
  const std::string ok = event(0, r, 0, 1);
  EXPECT_EQ(binary_as_tiddle(header(1, 1, 1, 2) + ok + event(1, r, 0, 1)),
            "t.data: event 1 at offset 26: error: thread 1 is out of range: the header counts 1\n");
  EXPECT_EQ(binary_as_tiddle(header(1, 1, 1, 1) + event(0, acq, 1, 1)),
            "t.data: event 0 at offset 18: error: lock 1 is out of range: the header counts 1\n");
  EXPECT_EQ(
      binary_as_tiddle(header(1, 1, 1, 1) + event(0, w, 9, 1)),
      "t.data: event 0 at offset 18: error: variable 9 is out of range: the header counts 1\n");
  EXPECT_EQ(binary_as_tiddle(header(1, 1, 1, 1) + event(0, fork, 9, 1)),
            "t.data: event 0 at offset 18: error: thread 9 is out of range: the header counts 1\n");
  EXPECT_EQ(binary_as_tiddle(header(1, 1, 1, 1) + event(0, 9, 0, 1)),
            "t.data: event 0 at offset 18: error: operation 9 is out of range: the last is 8\n");
}

TEST(RapidBinaryReader, RewindGivesTheSameIds) {
  const std::string bytes = header(2, 0, 2, 2) + event(1, r, 1, 1) + event(0, w, 0, 2);
  auto reader = binary_reader_of(bytes);
  std::vector<Event> first(4), second(4);
  EXPECT_EQ(reader->read(first).value(), 2u);
  EXPECT_EQ(reader->progress(), 1);
  reader->rewind();
  EXPECT_EQ(reader->read(second).value(), 2u);
  EXPECT_EQ(first, second);
}

TEST(RapidBinaryReader, PositionsAreEvents) {
  EXPECT_EQ(binary_reader_of(header(0, 0, 0, 0))->position(EventIndex{4}), "t.data: event 4");
}

TEST(RapidBinaryReader, KnowsAWholeFile) {
  EXPECT_TRUE(is_whole_rapid_binary(header(1, 0, 1, 1) + event(0, r, 0, 1)));
  EXPECT_TRUE(is_whole_rapid_binary(header(0, 0, 0, 0)));
  EXPECT_FALSE(is_whole_rapid_binary(header(1, 0, 1, 2) + event(0, r, 0, 1)));
  EXPECT_FALSE(is_whole_rapid_binary(header(1, 0, 1, 1) + event(0, r, 0, 1) + "x"));
  EXPECT_FALSE(is_whole_rapid_binary(header(1, 0, 1, uint64_t{1} << 61)));
  EXPECT_FALSE(is_whole_rapid_binary(""));
}

}  // namespace
}  // namespace foretell::trace
