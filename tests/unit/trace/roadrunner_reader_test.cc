// SPDX-License-Identifier: Apache-2.0

#include "trace/roadrunner/roadrunner_reader.h"

#include <gtest/gtest.h>

#include "unit/trace/read_back.h"

namespace foretell::trace {
namespace {

std::unique_ptr<TraceReader> roadrunner_reader_of(std::string_view text) {
  return make_roadrunner_reader(InputFile::from_memory(text, "t.rr"));
}

std::string roadrunner_as_tiddle(std::string_view text) {
  return read_back(*roadrunner_reader_of(text));
}

TEST(RoadRunnerReader, ReadsAccesses) {
  EXPECT_EQ(roadrunner_as_tiddle("@ Rd(0,@01.x)\n@ Read(0,@01.x)\n@ Wr(0,@01.x)\n@ Write(0,@01.x)\n"
                                 "@ ARd(0,@02[3])\n@ AWr(0,@02[3])\n"),
            "rd 0 \"@01.x\"\nrd 0 \"@01.x\"\nwr 0 \"@01.x\"\nwr 0 \"@01.x\"\nrd 0 \"@02[3]\"\n"
            "wr 0 \"@02[3]\"\n");
}

TEST(RoadRunnerReader, VolatilesAreSequentiallyConsistent) {
  EXPECT_EQ(
      roadrunner_as_tiddle("@ VRd(0,A.f)\n@ VWr(0,A.f)\n@ VolatileRd(0,A.f)\n@ VolatileWr(0,A.f)"),
      "ard 0 A.f sc\nawr 0 A.f sc\nard 0 A.f sc\nawr 0 A.f sc\n");
}

TEST(RoadRunnerReader, ReadsLocksAndThreads) {
  EXPECT_EQ(roadrunner_as_tiddle(
                "@ Acquire(0,l)\n@ Release(0,l)\n@ Fork(0,1)\n@ Start(0,2)\n@ Join(0,1)"),
            "acq 0 l\nrel 0 l\nfork 0 1\nfork 0 2\njoin 0 1\n");
}

TEST(RoadRunnerReader, TheLockOfAWaitIsItsCondition) {
  EXPECT_EQ(roadrunner_as_tiddle(
                "@ PreWait(0,l)\n@ Wait(1,l)\n@ PostWait(0,l)\n@ Notify(2,l)\n@ NotifyAll(2,l)"),
            "wait 0 l l\nwait 1 l l\nwake 0 l l\nnotify 2 l\nnotifyall 2 l\n");
}

TEST(RoadRunnerReader, ReadsMethodsAndBlocks) {
  EXPECT_EQ(
      roadrunner_as_tiddle("@ Enter(0,A.f(ILB;)V)\n@ Exit(0,A.f(ILB;)V)\n@ Begin(0,a)\n@ End(0,a)\n"
                           "@ Begin(0)\n@ End(0)"),
      "call 0 A.f(ILB;)V\nret 0 A.f(ILB;)V\nbeg 0 a\nend 0 a\nbeg 0 block\nend 0 block\n");
}

TEST(RoadRunnerReader, CaseAndBlanksAreFree) {
  EXPECT_EQ(roadrunner_as_tiddle("  @ACQUIRE ( 0 , l )\r\n@\trelease(0,l)"), "acq 0 l\nrel 0 l\n");
}

TEST(RoadRunnerReader, TheRestOfTheLineIsTheSite) {
  EXPECT_EQ(roadrunner_as_tiddle(
                "@     Rd(0,x)   A.java:12\n@ Rd(0,x) A.java:12:5\n@ Rd(0,x) <in A.f at 7>\n"
                "@ Rd(0,x) A.java:0\n@ Rd(0,x) :3"),
            "rd 0 x @A.java:12\nrd 0 x @A.java:12:5\nrd 0 x @\"<in A.f at 7>\"\n"
            "rd 0 x @\"A.java:0\"\nrd 0 x @\":3\"\n");
}

TEST(RoadRunnerReader, SkippedLinesAreCountedOnce) {
  auto reader = roadrunner_reader_of(
      "[main: starting]\n\n@ Rd(0,x)\n@Override\nhello\n@ Sleep(0)\n@ Sleep(0)\n");
  EXPECT_EQ(read_back(*reader), "rd 0 x\n");
  const std::string warnings =
      "t.rr: warning: skipped 3 lines without an event\n"
      "t.rr: warning: skipped 2 events of unknown kind, the first is 'Sleep'\n";
  EXPECT_EQ(warnings_of(*reader), warnings);
  reader->rewind();
  EXPECT_EQ(read_back(*reader), "rd 0 x\n");
  EXPECT_EQ(warnings_of(*reader), warnings);
}

TEST(RoadRunnerReader, NothingSkippedIsNoWarning) {
  auto reader = roadrunner_reader_of("@ Rd(0,x)\n");
  read_back(*reader);
  EXPECT_EQ(warnings_of(*reader), "");
}

TEST(RoadRunnerReader, ErrorsNameFileLineTextAndReason) {
  EXPECT_EQ(roadrunner_as_tiddle("x\n@ Rd(0,x"),
            "t.rr:2: error: no ')' after the arguments in '@ Rd(0,x'\n");
  EXPECT_EQ(roadrunner_as_tiddle("@ Rd(,x)"), "t.rr:1: error: 'Rd' needs a thread in '@ Rd(,x)'\n");
  EXPECT_EQ(roadrunner_as_tiddle("@ Rd(0)"),
            "t.rr:1: error: 'Rd' needs an object after the thread in '@ Rd(0)'\n");
  EXPECT_EQ(roadrunner_as_tiddle("@ Fork(0, )"),
            "t.rr:1: error: 'Fork' needs an object after the thread in '@ Fork(0, )'\n");
}

TEST(RoadRunnerReader, AHugeLineIsAShortError) {
  EXPECT_EQ(roadrunner_as_tiddle(std::string(3 << 20, 'x')),
            "t.rr:1: error: the line is longer than 1048576 bytes in '" + std::string(60, 'x') +
                "...'\n");
}

TEST(RoadRunnerReader, PositionsAreLines) {
  auto reader = roadrunner_reader_of("noise\n@ Rd(0,x)\n");
  std::vector<Event> events(2);
  ASSERT_EQ(reader->read(events).value(), 1u);
  EXPECT_EQ(reader->position(EventIndex{0}), "t.rr:2");
}

TEST(RoadRunnerReader, AWaitNormalizes) {
  auto reader = roadrunner_reader_of(
      "@ Acquire(0,l)\n@ Wait(0,l)\n@ Acquire(1,l)\n@ Notify(1,l)\n"
      "@ Release(1,l)\n@ PostWait(0,l)\n@ Release(0,l)\n");
  auto normal = normalize(*read_all(*reader));
  ASSERT_TRUE(normal);
  EXPECT_EQ(normal->events[5].partner(), EventIndex{3});
}

}  // namespace
}  // namespace foretell::trace
