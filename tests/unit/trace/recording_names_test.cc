// SPDX-License-Identifier: Apache-2.0

// How the reader of recordings names memory and locks.
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;

TEST(RecordingNames, MemoryOfAGlobalIsARangeOfItsName) {
  RecordingBuilder b;
  b.global(0x4000, 16, "acc");
  b.record(Write4, 0, 0x4008, 1);
  b.record(Write4, 0, 0x400c, 1);
  b.record(Write4, 0, 0x4010, 1);
  EXPECT_EQ(Recorded(b).text(), "wr T0 acc+8:4 1\nwr T0 acc+12:4 1\nwr T0 0x4010:4 1\n");
}

TEST(RecordingNames, GlobalsOfOneNameStayApart) {
  RecordingBuilder b;
  b.global(0x4000, 4, "count");
  b.begin_module("src/other.c");
  b.global(0x5000, 4, "count");
  b.begin_module("lib/other.c");
  b.global(0x6000, 4, "count");
  b.record(Read4, 0, 0x4000, 0);
  b.record(Read4, 0, 0x5000, 0);
  b.record(Read4, 0, 0x6000, 0);
  EXPECT_EQ(Recorded(b).text(),
            "rd T0 count+0:4 0\nrd T0 \"count (other.c)\"+0:4 0\n"
            "rd T0 \"count (other.c)#2\"+0:4 0\n");
}

// The locks in the order of their ids.
std::string locks_of(const RecordingBuilder& builder) {
  Recorded recorded(builder);
  EXPECT_EQ(recorded.refusal(), "");
  std::string names;
  const auto& locks = recorded.reader().tables().locks;
  for (uint32_t i = 0; i < locks.size(); ++i) {
    names += std::string(locks[LockId{i}]) + "\n";
  }
  return names;
}

void use_lock(RecordingBuilder& b, uint32_t site, uint64_t address) {
  b.record(Request, site, address);
  b.record(Acquire, site, address);
  b.record(Release, site, address);
}

TEST(RecordingNames, ALockIsCalledAsTheProgramSays) {
  RecordingBuilder b;
  uint64_t name[2] = {};
  std::memcpy(name, "sixteen bytes ok", 16);
  b.record(LockName, 0, kHeap, 0, {name[0], name[1]});
  use_lock(b, b.site("a.c", 1, "f", "q->lock"), kHeap);
  EXPECT_EQ(locks_of(b), "sixteen bytes ok\n");
}

TEST(RecordingNames, AGlobalLockHasItsVariablesNameAndField) {
  RecordingBuilder b;
  b.global(0x4000, 40, "m", "0=__data");
  b.global(0x5000, 100, "queue", "0=head;8=lock");
  const uint32_t site = b.site("a.c", 1, "f", "l");
  use_lock(b, site, 0x4000);
  use_lock(b, site, 0x5008);
  use_lock(b, site, 0x5030);
  EXPECT_EQ(locks_of(b), "m\nqueue.lock\nqueue+48\n");
}

TEST(RecordingNames, OtherLocksAreCalledByTheirExpressionMadeUnique) {
  RecordingBuilder b;
  const uint32_t site = b.site("a.c", 1, "f", "&q->lock");
  use_lock(b, site, kHeap);
  use_lock(b, site, kHeap + 100);
  use_lock(b, site, kHeap);
  EXPECT_EQ(locks_of(b), "q->lock\nq->lock#2\n");
}

TEST(RecordingNames, ALockTakenInsideALibraryIsCalledAsAtTheCall) {
  RecordingBuilder b;
  const uint32_t call = b.site("a.cpp", 7, "f", "guard", recording::kSiteCall);
  const uint32_t library = b.site("mutex", 9, "lock", "_M_mutex", recording::kSiteLibrary);
  b.record(FunctionEnter, library, 0, call);
  use_lock(b, library, kHeap);
  EXPECT_EQ(locks_of(b), "guard\n");
}

TEST(RecordingNames, WithoutAnyNameALockIsItsFirstUsersManieth) {
  RecordingBuilder b;
  b.on(1);
  use_lock(b, 0, kHeap);
  use_lock(b, 0, kHeap + 64);
  EXPECT_EQ(locks_of(b), "lock@T1:0\nlock@T1:1\n");
}

TEST(RecordingNames, ALockInMemoryAllocatedAgainIsAnother) {
  RecordingBuilder b;
  const uint32_t site = b.site("a.c", 1, "f", "q->lock");
  for (int life = 0; life < 2; ++life) {
    b.record(Alloc, 0, kHeap, 64);
    use_lock(b, site, kHeap + 16);
    b.record(Free, 0, kHeap);
  }
  EXPECT_EQ(locks_of(b), "q->lock\nq->lock#2\n");
}

TEST(RecordingNames, AnUnlockByAnotherThreadKeepsTheOrderByAtomics) {
  RecordingBuilder b;
  const uint32_t site = b.site("", 0, "", "m");
  b.record(Acquire, site, kHeap);
  b.on(1);
  b.record(Release, site, kHeap);
  b.on(2);
  b.record(Acquire, site, kHeap);
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "acq T0 m @? as=m\nrmw T1 \"lock m\" sc @? as=m\nrmw T2 \"lock m\" sc @? as=m\n");
  EXPECT_EQ(recorded.refusal(), "");
}

TEST(RecordingNames, AReleaseTakesTheModeItsThreadHolds) {
  RecordingBuilder b;
  b.record(AcquireShared, 0, kHeap);
  b.record(Release, 0, kHeap);
  b.record(TryFail, 0, kHeap);
  Recorded recorded(b);
  EXPECT_EQ(recorded.text(),
            "sacq T0 \"lock@T0:0\"\nsrel T0 \"lock@T0:0\"\nreq T0 \"lock@T0:0\"\n");
  EXPECT_EQ(recorded.refusal(), "");
}

}  // namespace
}  // namespace foretell::trace
