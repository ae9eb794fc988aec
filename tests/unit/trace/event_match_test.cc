// SPDX-License-Identifier: Apache-2.0

#include "trace/event_match.h"

#include <gtest/gtest.h>

namespace foretell::trace {
namespace {

using K = EventKind;

// What match() asserts.
static_assert(
    is_each_kind_once<kAccesses, K::Alloc, K::Fence, kSectionBegins, kSectionEnds, kRequests,
                      kFailedTries, kNotifies, kBarriers, kSemaphores, kForksAndJoins, kRemarks>());
static_assert(!is_each_kind_once<kAccesses, kRemarks>(), "most are missing");
static_assert(!is_each_kind_once<kAccesses, K::Free, K::Alloc, K::Fence, kSectionBegins,
                                 kSectionEnds, kRequests, kFailedTries, kNotifies, kBarriers,
                                 kSemaphores, kForksAndJoins, kRemarks>(),
              "Free is an access");

EventKind kind_of(size_t i) {
  return static_cast<EventKind>(i);
}

TEST(EventSet, AgreesWithThePredicates) {
  for (size_t i = 0; i < kEventKindCount; ++i) {
    const EventKind kind = kind_of(i);
    EXPECT_EQ(kAccesses.contains(kind), is_access(kind)) << word_of(kind);
    EXPECT_EQ(kPlainAccesses.contains(kind), is_plain_access(kind)) << word_of(kind);
    EXPECT_EQ(kAtomics.contains(kind), is_atomic_access(kind)) << word_of(kind);
  }
}

TEST(EventSet, ClassesOfLocksAreWhatHasALock) {
  const EventSet locks =
      EventSet(EventClass::acquire) | kReleases | kRequests | kFailedTries | K::DestroyLock;
  for (size_t i = 0; i < kEventKindCount; ++i) {
    EXPECT_EQ(locks.contains(kind_of(i)), operands_of(kind_of(i)) == Operands::Lock);
  }
}

int number_of(EventKind kind) {
  return match(kind,
               Cases{
                   on<K::Read, K::Write>([] { return 1; }),
                   on<kAtomics, EventClass::memory>([] { return 2; }),
                   on<kSectionBegins, kSectionEnds, kRequests, kFailedTries, kNotifies, kBarriers,
                      kSemaphores, kForksAndJoins, K::Fence, kRemarks>([] { return 3; }),
               });
}

TEST(Match, ReturnsWhatTheCaseOfTheKindReturns) {
  for (size_t i = 0; i < kEventKindCount; ++i) {
    const EventKind kind = kind_of(i);
    const bool is_memory = is_atomic_access(kind) || kind == K::Alloc || kind == K::Free;
    EXPECT_EQ(number_of(kind), is_plain_access(kind) ? 1 : is_memory ? 2 : 3) << word_of(kind);
  }
}

TEST(Match, CallsOneHandlerOnceAndNoneForWhatIsIgnored) {
  for (size_t i = 0; i < kEventKindCount; ++i) {
    int accesses = 0, locks = 0;
    match(kind_of(i), Cases{
                          on<kAccesses>([&] { ++accesses; }),
                          on<kSectionBegins, kSectionEnds>([&] { ++locks; }),
                          ignored<K::Alloc, K::Fence, kRequests, kFailedTries, kNotifies, kBarriers,
                                  kSemaphores, kForksAndJoins, kRemarks>,
                      });
    EXPECT_EQ(accesses, kAccesses.contains(kind_of(i)) ? 1 : 0);
    EXPECT_EQ(locks, (kSectionBegins | kSectionEnds).contains(kind_of(i)) ? 1 : 0);
  }
}

}  // namespace
}  // namespace foretell::trace
