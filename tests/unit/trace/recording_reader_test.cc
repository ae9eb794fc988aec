// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/recording_reader.h"

#include "trace/open.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;

std::string text_of(const RecordingBuilder& builder) {
  return Recorded(builder).text();
}

TEST(Recording, IsDetectedByItsMagic) {
  EXPECT_EQ(*detect_format(RecordingBuilder().bytes(), "x"), TraceFormat::recording);
  EXPECT_EQ(parse_format("recording"), TraceFormat::recording);
}

TEST(Recording, PlainAccessesCarryTheirValues) {
  RecordingBuilder b;
  b.record(Read1, 0, kHeap, 0xff);
  b.record(Write2, 0, kHeap + 2, 0xffff);
  b.record(Read4, 0, kHeap + 4, 0xffffffff);
  b.record(Write8, 0, kHeap + 8, static_cast<uint64_t>(-2));
  b.record(Read8, 0, kHeap + 8, 5);
  b.record(Read8, 0, kHeap + 8, 0x123456789abcdef0);
  b.record(Write8, 0, kHeap + 8, uint64_t{1} << 63);
  EXPECT_EQ(text_of(b),
            "rd T0 0x7f0000001000:1 255\nwr T0 0x7f0000001002:2 65535\n"
            "rd T0 0x7f0000001004:4 4294967295\nwr T0 0x7f0000001008:8 -2\n"
            "rd T0 0x7f0000001008:8 5\nrd T0 0x7f0000001008:8 1311768467463790320\n"
            "wr T0 0x7f0000001008:8 -9223372036854775808\n");
}

TEST(Recording, RangesHaveNoValue) {
  RecordingBuilder b;
  b.record(ReadRange, 0, kHeap, 100);
  b.record(WriteRange, 0, kHeap, 1 << 20);
  EXPECT_EQ(text_of(b), "rd T0 0x7f0000001000:100\nwr T0 0x7f0000001000:1048576\n");
}

TEST(Recording, RangesOfNoBytesClashWithNothing) {
  RecordingBuilder b;
  b.record(WriteRange, 0, kHeap, 0);
  b.on(1);
  b.record(WriteRange, 0, kHeap, 0);
  EXPECT_EQ(text_of(b), "wr T0 \"no bytes of T0\"\nwr T1 \"no bytes of T1\"\n");
}

TEST(Recording, AtomicsCarryOrderAndValues) {
  RecordingBuilder b;
  b.record(AtomicRead, 0, kHeap, 2 | 4 << 8, {7});
  b.record(AtomicWrite, 0, kHeap, 3 | 4 << 8, {static_cast<uint64_t>(-1)});
  b.record(AtomicRmw, 0, kHeap, 5 | 8 << 8, {1, 2});
  b.record(AtomicRead, 0, kHeap, 0 | 16 << 8, {0});
  b.record(Fence, 0, 0, 4);
  EXPECT_EQ(text_of(b),
            "ard T0 0x7f0000001000:4 acq 7\nawr T0 0x7f0000001000:4 rel 4294967295\n"
            "rmw T0 0x7f0000001000:8 sc 1 2\nard T0 0x7f0000001000:16 rlx\nfence T0 ar\n");
}

TEST(Recording, SwitchesNameTheThreadOfWhatFollows) {
  RecordingBuilder b;
  b.record(ThreadBegin, 0, 0, recording::kNoThread);
  b.record(Fork, 0, 1);
  b.on(1);
  b.record(ThreadBegin, 0, 1, 0);
  b.record(ThreadEnd);
  b.on(0);
  b.record(Join, 0, 1);
  EXPECT_EQ(text_of(b), "start T0\nfork T0 T1\nstart T1\nexit T1\njoin T0 T1\n");
}

TEST(Recording, WaitsBarriersAndSemaphoresHaveTheirPartners) {
  RecordingBuilder b;
  const uint32_t c = b.site("a.c", 1, "f", "c"), m = b.site("a.c", 2, "f", "m");
  const uint32_t bar = b.site("a.c", 3, "f", "bar"), sem = b.site("a.c", 4, "f", "sem");
  b.record(Acquire, m, kHeap);
  b.record(WaitBegin, c, kHeap + 64, kHeap);
  b.on(1);
  b.record(NotifyOne, c, kHeap + 64, 0, {1});
  b.record(NotifyAll, c, kHeap + 64, 0, {recording::kNoTicket});
  b.on(0);
  b.record(WaitEnd, c, kHeap + 64, kHeap, {1});
  b.record(WaitBegin, c, kHeap + 64, kHeap);
  b.record(WaitEnd, c, kHeap + 64, kHeap, {recording::kNoTicket});
  b.record(BarrierEnter, bar, kHeap + 128, 0);
  b.record(BarrierExit, bar, kHeap + 128, 0);
  b.record(SemaphorePost, sem, kHeap + 256, 0, {3});
  b.record(SemaphoreWait, sem, kHeap + 256, 0, {3});
  b.record(SemaphoreWait, sem, kHeap + 256, 0, {recording::kNoTicket});
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "acq T0 m @a.c:2:1 in=f as=m\nwait T0 c m @a.c:1:1 in=f as=c\n"
            "notify T1 c #1 @a.c:1:1 in=f as=c\nnotifyall T1 c @a.c:1:1 in=f as=c\n"
            "wake T0 c m #1 @a.c:1:1 in=f as=c\nwait T0 c m @a.c:1:1 in=f as=c\n"
            "wake T0 c m spurious @a.c:1:1 in=f as=c\n"
            "enter T0 bar #0 @a.c:3:1 in=f as=bar\nleave T0 bar #0 @a.c:3:1 in=f as=bar\n"
            "post T0 sem #3 @a.c:4:1 in=f as=sem\ndown T0 sem #3 @a.c:4:1 in=f as=sem\n"
            "down T0 sem initial @a.c:4:1 in=f as=sem\n");
  EXPECT_EQ(recorded.refusal(), "");
}

TEST(Recording, ABarrierThatBeginsAgainIsAnotherOne) {
  RecordingBuilder b;
  const uint32_t site = b.site("a.c", 1, "f", "bar");
  for (int life = 0; life < 2; ++life) {
    b.record(BarrierEnter, site, kHeap, 0);
    b.record(BarrierExit, site, kHeap, 0);
  }
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "enter T0 bar #0 @a.c:1:1 in=f as=bar\nleave T0 bar #0 @a.c:1:1 in=f as=bar\n"
            "enter T0 bar#2 #0 @a.c:1:1 in=f as=bar\nleave T0 bar#2 #0 @a.c:1:1 in=f "
            "as=bar\n");
  EXPECT_EQ(recorded.refusal(), "");
}

TEST(Recording, FreesNameWhatWasAllocated) {
  RecordingBuilder b;
  b.record(Alloc, 0, kHeap, 24);
  b.record(Free, 0, kHeap);
  b.record(Alloc, 0, kHeap, 0);
  b.record(Free, 0, kHeap);
  EXPECT_EQ(text_of(b),
            "alloc T0 0x7f0000001000:24\nfree T0 0x7f0000001000:24\n"
            "alloc T0 0x7f0000001000:1\nfree T0 0x7f0000001000:1\n");
}

TEST(Recording, MissingAndRepeatedFreesStayReadable) {
  RecordingBuilder b;
  b.record(Free, 0, kHeap);
  b.record(Free, 0, kHeap);
  b.record(Alloc, 0, kHeap, 8);
  b.record(Alloc, 0, kHeap, 8);
  b.record(Free, 0, kHeap);
  b.record(Free, 0, kHeap);
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "free T0 0x7f0000001000:1\nfree T0 \"freed before\"\nalloc T0 0x7f0000001000:8\n"
            "alloc T0 0x7f0000001000:9\nfree T0 0x7f0000001000:9\nfree T0 \"freed before#2\"\n");
  EXPECT_EQ(recorded.refusal(), "");
}

TEST(Recording, FunctionsBranchesBlocksAndUserEvents) {
  RecordingBuilder b;
  const uint32_t f = b.site("a.c", 1, "Queue::push", "", recording::kSiteFunction);
  const uint32_t label = b.site("a.c", 2, "f", "transfer");
  const uint32_t user = b.site("a.c", 3, "f", "opened");
  b.record(FunctionEnter, f);
  b.record(Branch, 0, 0, 1);
  b.record(BlockBegin, 0, label);
  b.record(BlockEnd, 0, label);
  b.record(User, user, 0, 2, {5, static_cast<uint64_t>(-6)});
  b.record(User, user, 0, 0, {5, 6});
  b.record(FunctionExit, f);
  EXPECT_EQ(text_of(b),
            "call T0 \"Queue::push\" @a.c:1:1 in=\"Queue::push\"\nbranch T0 1\nbeg T0 transfer\n"
            "end T0 transfer\nuser T0 opened \"5 -6\" @a.c:3:1 in=f as=opened\n"
            "user T0 opened @a.c:3:1 in=f as=opened\n"
            "ret T0 \"Queue::push\" @a.c:1:1 in=\"Queue::push\"\n");
}

TEST(Recording, ALongjmpLeavesSeveralFunctions) {
  RecordingBuilder b;
  const uint32_t f = b.site("a.c", 1, "f"), g = b.site("a.c", 2, "g");
  b.record(FunctionEnter, f);
  b.record(FunctionEnter, g);
  b.record(FunctionExit, f);
  b.record(FunctionExit, g);
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "call T0 f @a.c:1:1 in=f\ncall T0 g @a.c:2:1 in=g\nret T0 f @a.c:1:1 in=f\n"
            "branch T0 @a.c:2:1 in=g\n");
  EXPECT_EQ(recorded.refusal(), "");
}

TEST(Recording, ALibrarySiteIsShownAtTheCallIntoTheLibrary) {
  RecordingBuilder b;
  const uint32_t main = b.site("main.cpp", 1, "main");
  const uint32_t call = b.site("main.cpp", 7, "main", "&v", recording::kSiteCall);
  const uint32_t push = b.site("vector", 100, "push_back", "", recording::kSiteLibrary);
  const uint32_t inner = b.site("vector", 110, "push_back", "this", recording::kSiteLibrary);
  const uint32_t grow = b.site("vector", 200, "grow", "", recording::kSiteLibrary);
  const uint32_t store = b.site("vector", 210, "grow", "_M_end", recording::kSiteLibrary);
  b.record(FunctionEnter, main, 0, 0);
  b.record(FunctionEnter, push, 0, call);
  b.record(FunctionEnter, grow, 0, inner);
  b.record(Write4, store, kHeap, 1);
  b.record(FunctionExit, grow);
  b.record(FunctionExit, push);
  b.record(Write4, store, kHeap, 2);
  EXPECT_EQ(text_of(b),
            "call T0 main @main.cpp:1:1 in=main\n"
            "call T0 push_back @main.cpp:7:1 in=main as=&v\n"
            "call T0 grow @main.cpp:7:1 in=main as=&v\n"
            "wr T0 0x7f0000001000:4 1 @main.cpp:7:1 in=main as=&v\n"
            "ret T0 grow @main.cpp:7:1 in=main as=&v\n"
            "ret T0 push_back @main.cpp:7:1 in=main as=&v\n"
            "wr T0 0x7f0000001000:4 2 @vector:210:1 in=grow as=_M_end\n");
}

TEST(Recording, TheLibrarysExpressionIsKeptIfItIsTheOnlyOne) {
  RecordingBuilder b;
  const uint32_t f = b.site("a.cpp", 1, "f"), call = b.site("a.cpp", 7, "f");
  const uint32_t push = b.site("vector", 100, "push_back", "", recording::kSiteLibrary);
  const uint32_t store = b.site("vector", 210, "push_back", "*end", recording::kSiteLibrary);
  b.record(FunctionEnter, f);
  b.record(FunctionEnter, push, 0, call);
  b.record(Read4, store, kHeap, 1);
  EXPECT_NE(text_of(b).find("rd T0 0x7f0000001000:4 1 @a.cpp:7:1 in=f as=*end\n"),
            std::string::npos);
}

TEST(Recording, SmallBatchesGiveTheSame) {
  RecordingBuilder b;
  for (uint64_t i = 0; i < 1000; ++i) b.record(Write4, 0, kHeap + 4 * (i % 7), i);
  EXPECT_EQ(Recorded(b).text(3), Recorded(b).text());
}

// What the program reads from a file, for example, is written by code nobody has instrumented.
TEST(Recording, AValueWrittenByUninstrumentedCodeIsNoError) {
  RecordingBuilder b;
  b.record(Write4, 0, kHeap, 1);
  b.record(Read4, 0, kHeap, 2);
  b.record(Read4, 0, kHeap, 2);
  b.record(AtomicRmw, 0, kHeap, 5 | 4 << 8, {3, 4});
  b.record(AtomicRead, 0, kHeap, 5 | 4 << 8, {4});
  EXPECT_EQ(Recorded(b).refusal(), "");
}

}  // namespace
}  // namespace foretell::trace
