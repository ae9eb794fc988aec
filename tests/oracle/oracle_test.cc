// SPDX-License-Identifier: Apache-2.0

// The oracle on hand-made traces whose truth is known.
#include "oracle.h"

#include <gtest/gtest.h>

#include "conflict.h"
#include "property.h"
#include "run_of.h"

namespace foretell::oracle {
namespace {

using Races = std::set<Pair>;
using Deadlocks = std::set<std::vector<Position>>;
using BlockBegins = std::set<Position>;

Truth truth(std::string_view text) {
  const trace::Trace trace = run_of(text);
  return Oracle(trace).everything();
}
Races races(std::string_view text) {
  return truth(text).races;
}
Deadlocks deadlocks(std::string_view text) {
  return truth(text).deadlocks;
}
BlockBegins violable(std::string_view text) {
  return truth(text).violable_blocks;
}

TEST(OracleRaces, Figure72GammaHasARaceThatHappensBeforeMisses) {
  EXPECT_EQ(races("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x"), (Races{{0, 5}}));
}

TEST(OracleRaces, Figure72EtaHasARace) {
  EXPECT_EQ(races("acq 2 l rel 2 l wr 2 x wr 1 x acq 1 l rel 1 l"), (Races{{2, 3}}));
}

TEST(OracleRaces, ALockProtectsBothAccesses) {
  EXPECT_EQ(races("acq 1 l wr 1 x rel 1 l acq 2 l wr 2 x rel 2 l"), Races{});
}

TEST(OracleRaces, DifferentLocksProtectNothing) {
  EXPECT_EQ(races("acq 1 l wr 1 x rel 1 l acq 2 m wr 2 x rel 2 m"), (Races{{1, 4}}));
}

TEST(OracleRaces, AReadInACriticalSectionCanOrderWhatFollows) {
  // Swapping the sections would change what the read of y sees.
  EXPECT_EQ(races("wr 1 x acq 1 l wr 1 y rel 1 l acq 2 l rd 2 y rel 2 l wr 2 x"), Races{});
}

TEST(OracleRaces, TwoReadsDoNotRace) {
  EXPECT_EQ(races("rd 1 x rd 2 x"), Races{});
}

TEST(OracleRaces, TwoAtomicsDoNotRaceButAnAtomicAndAPlainAccessDo) {
  EXPECT_EQ(races("awr 1 x awr 2 x"), Races{});
  EXPECT_EQ(races("awr 1 x wr 2 x"), (Races{{0, 1}}));
}

TEST(OracleRaces, OneThreadHasNoRaces) {
  EXPECT_EQ(races("wr 1 x rd 1 x wr 1 x"), Races{});
}

TEST(OracleRaces, AForkOrdersWhatCameBefore) {
  EXPECT_EQ(races("wr 1 x fork 1 2 wr 2 x"), Races{});
  EXPECT_EQ(races("fork 1 2 wr 1 x wr 2 x"), (Races{{1, 2}}));
}

TEST(OracleRaces, AJoinOrdersWhatComesAfter) {
  EXPECT_EQ(races("fork 1 2 wr 2 x join 1 2 wr 1 x"), Races{});
}

TEST(OracleRaces, AReadRacesEvenThoughItWouldSeeAnotherValue) {
  EXPECT_EQ(races("wr 1 x rd 2 x"), (Races{{0, 1}}));
}

TEST(OracleRaces, AReadThatDecidesWhatFollowsOrdersIt) {
  EXPECT_EQ(races("wr 1 x wr 1 f rd 2 f rd 2 x"), (Races{{1, 2}}));
}

TEST(OracleRaces, ARelaxedAtomicReadKeepsItsWriterToo) {
  EXPECT_EQ(races("wr 1 x awr 1 f rlx ard 2 f rlx rd 2 x"), Races{});
}

TEST(OracleRaces, WaitAndNotifyOrder) {
  EXPECT_EQ(races("acq 1 l wait 1 c l wr 2 x notify 2 c wake 1 c l wr 1 x"), Races{});
}

TEST(OracleRaces, ASpuriousWakeOrdersNothing) {
  EXPECT_EQ(races("acq 1 l wait 1 c l wr 2 x wake 1 c l spurious wr 1 x"), (Races{{2, 4}}));
}

TEST(OracleRaces, ALostNotifyOrdersNothing) {
  EXPECT_EQ(races("wr 2 x notify 2 c acq 1 l wait 1 c l wake 1 c l spurious wr 1 x"),
            (Races{{0, 5}}));
}

TEST(OracleRaces, ABarrierSeparatesItsSides) {
  EXPECT_EQ(races("wr 1 x enter 1 b enter 2 b leave 1 b leave 2 b wr 2 x"), Races{});
  EXPECT_EQ(races("enter 1 b enter 2 b leave 1 b leave 2 b wr 1 x wr 2 x"), (Races{{4, 5}}));
}

TEST(OracleRaces, APostOrdersItsDownAndNoOther) {
  EXPECT_EQ(races("wr 1 x post 1 s down 2 s wr 2 x"), Races{});
  EXPECT_EQ(races("wr 1 x post 1 s down 2 s initial wr 2 x"), (Races{{0, 3}}));
}

TEST(OracleRaces, ReadersOfARwlockRaceAmongThemselvesOnly) {
  EXPECT_EQ(races("sacq 1 l wr 1 x srel 1 l sacq 2 l wr 2 x srel 2 l"), (Races{{1, 4}}));
  EXPECT_EQ(races("sacq 1 l wr 1 x srel 1 l acq 2 l wr 2 x rel 2 l"), Races{});
}

TEST(OracleRaces, AFreeRacesWithAnUnorderedAccess) {
  EXPECT_EQ(races("alloc 1 p fork 1 2 wr 2 p free 1 p"), (Races{{2, 3}}));
  EXPECT_EQ(races("alloc 1 p fork 1 2 free 1 p wr 2 p"), (Races{{2, 3}}));
}

TEST(OracleRaces, AFreeAfterTheJoinDoesNotRace) {
  EXPECT_EQ(races("alloc 1 p fork 1 2 wr 2 p join 1 2 free 1 p"), Races{});
}

TEST(OracleRaces, TwoLivesOfMemoryDoNotRace) {
  EXPECT_EQ(races("alloc 1 p wr 1 p free 1 p alloc 2 p wr 2 p"), Races{});
}

TEST(OracleRaces, AnAccessDoesNotRaceBeforeItsAllocation) {
  // Thread 2 could come to its write before the allocation, but the write is of the memory it got.
  EXPECT_EQ(races("wr 1 x alloc 1 p wr 2 p wr 2 x"), Races{});
}

TEST(OracleRaces, AThirdFreeBetweenKeepsAccessesApart) {
  EXPECT_EQ(races("wr 1 p free 3 p wr 2 p"), (Races{{0, 1}, {1, 2}}));
}

TEST(OracleRaces, OverlappingRangesRaceWhereTheyOverlap) {
  // Split: 0 is buf+0:2, 1 is buf+2:2 of thread 1; 2 is buf+2:2, 3 is buf+4:2 of thread 2.
  EXPECT_EQ(races("wr 1 buf+0:4 wr 2 buf+2:4"), (Races{{1, 2}}));
}

TEST(OracleRaces, AFailedTryShowsWhereItsThreadIs) {
  EXPECT_EQ(races("wr 1 x acq 1 l tryfail 2 l wr 2 x"), Races{});
}

TEST(OracleRaces, RaceCppIsPredictedFromAPassingRun) {
  EXPECT_EQ(races("wr 1 balance acq 1 m wr 1 open rel 1 m"
                  " acq 2 m wr 2 open rel 2 m rd 2 balance"),
            (Races{{0, 7}}));
}

TEST(OracleWitness, EndsWithTheRaceAndReordersTheRest) {
  const trace::Trace trace = run_of("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x");
  const Oracle oracle(trace);
  EXPECT_EQ(oracle.race_witness(0, 5), (Interleaving{3, 4, 0, 5}));
  EXPECT_EQ(oracle.race_witness(1, 3), std::nullopt);
}

TEST(OracleDeadlocks, TwoThreadsTakeTwoLocksInOppositeOrder) {
  EXPECT_EQ(deadlocks("acq 1 l acq 1 m rel 1 m rel 1 l acq 2 m acq 2 l rel 2 l rel 2 m"),
            (Deadlocks{{1, 5}}));
}

TEST(OracleDeadlocks, DeadCppFirstThreadIsJoinedBeforeTheSecondStarts) {
  EXPECT_EQ(deadlocks("fork 0 1 acq 1 l acq 1 m rel 1 m rel 1 l join 0 1"
                      " fork 0 2 acq 2 m acq 2 l rel 2 l rel 2 m join 0 2"),
            Deadlocks{});
}

TEST(OracleDeadlocks, DeadCppTwinWithBothRunning) {
  EXPECT_EQ(deadlocks("fork 0 1 fork 0 2 acq 1 l acq 1 m rel 1 m rel 1 l"
                      " acq 2 m acq 2 l rel 2 l rel 2 m join 0 1 join 0 2"),
            (Deadlocks{{3, 7}}));
}

TEST(OracleDeadlocks, AGateLockPreventsIt) {
  EXPECT_EQ(deadlocks("acq 1 g acq 1 l acq 1 m rel 1 m rel 1 l rel 1 g"
                      " acq 2 g acq 2 m acq 2 l rel 2 l rel 2 m rel 2 g"),
            Deadlocks{});
}

TEST(OracleDeadlocks, ThreeThreadsInARing) {
  EXPECT_EQ(deadlocks("acq 1 l acq 1 m rel 1 m rel 1 l acq 2 m acq 2 n rel 2 n rel 2 m"
                      " acq 3 n acq 3 l rel 3 l rel 3 n"),
            (Deadlocks{{1, 5, 9}}));
}

TEST(OracleDeadlocks, ARequestBeforeTheAcquireChangesNothing) {
  EXPECT_EQ(deadlocks("acq 1 l req 1 m acq 1 m rel 1 m rel 1 l"
                      " acq 2 m req 2 l acq 2 l rel 2 l rel 2 m"),
            (Deadlocks{{2, 7}}));
}

TEST(OracleDeadlocks, ReadersDoNotBlockReaders) {
  EXPECT_EQ(deadlocks("sacq 1 l sacq 1 m srel 1 m srel 1 l sacq 2 m sacq 2 l srel 2 l srel 2 m"),
            Deadlocks{});
  EXPECT_EQ(deadlocks("sacq 1 l acq 1 m rel 1 m srel 1 l sacq 2 m acq 2 l rel 2 l srel 2 m"),
            (Deadlocks{{1, 5}}));
}

TEST(OracleDeadlocks, ANotifiedWaiterWantsItsLockBack) {
  // Thread 1 waits with l while it holds m; thread 2 takes l, then m. The notify may also be lost.
  EXPECT_EQ(deadlocks("acq 1 m acq 1 l wait 1 c l notify 2 c wake 1 c l rel 1 l rel 1 m"
                      " acq 2 l acq 2 m"),
            (Deadlocks{{1, 8}, {4}, {4, 8}}));
}

TEST(OracleReads, AReadCanSeeTheOtherWriteOrTheInitialValue) {
  const auto others = truth("wr 1 x wr 2 x rd 3 x").other_writers;
  EXPECT_EQ(others.at(2), (std::set<std::optional<Position>>{std::nullopt, 0}));
}

TEST(OracleReads, ALockedReadAfterItsOwnWriteSeesNothingElse) {
  EXPECT_TRUE(truth("acq 1 l wr 1 x rd 1 x rel 1 l acq 2 l wr 2 x rel 2 l").other_writers.empty());
}

TEST(OracleReads, SwappedCriticalSectionsChangeWhatIsRead) {
  const auto others = truth("acq 1 l wr 1 x rel 1 l acq 2 l rd 2 x rel 2 l").other_writers;
  EXPECT_EQ(others.at(4), (std::set<std::optional<Position>>{std::nullopt}));
}

TEST(OracleReads, AReadAfterAForkCannotMissWhatCameBefore) {
  EXPECT_TRUE(truth("wr 1 x fork 1 2 rd 2 x").other_writers.empty());
}

TEST(OracleBlocks, Section243AWriteBetweenTwoReads) {
  EXPECT_EQ(violable("beg 1 a rd 1 x wr 2 x rd 1 x end 1 a"), (BlockBegins{0}));
}

TEST(OracleBlocks, APassingRunOfItCannotBeViolatedBecauseReadsKeepTheirWriters) {
  EXPECT_EQ(violable("beg 1 a rd 1 x rd 1 x end 1 a wr 2 x"), BlockBegins{});
}

TEST(OracleBlocks, AForeignWriteCanFallBetweenTwoWrites) {
  EXPECT_EQ(violable("beg 1 a wr 1 x wr 1 x end 1 a wr 2 x"), (BlockBegins{0}));
}

TEST(OracleBlocks, ALockAroundTheWholeBlockProtectsIt) {
  EXPECT_EQ(violable("beg 1 a acq 1 l wr 1 x wr 1 x rel 1 l end 1 a acq 2 l wr 2 x rel 2 l"),
            BlockBegins{});
}

TEST(OracleBlocks, TwoCriticalSectionsInOneBlockDoNot) {
  EXPECT_EQ(violable("beg 1 a acq 1 l rel 1 l acq 1 l rel 1 l end 1 a acq 2 l rel 2 l"),
            (BlockBegins{0}));
}

TEST(OracleBlocks, AForeignEventThatConflictsOnceCanBeMovedAway) {
  EXPECT_EQ(violable("beg 1 a wr 1 x wr 1 y end 1 a wr 2 x"), BlockBegins{});
}

TEST(OracleBlocks, AViolationCanGoThroughAThirdThread) {
  EXPECT_EQ(violable("beg 1 a wr 1 x wr 1 y end 1 a wr 2 x wr 2 z wr 3 z wr 3 y"),
            (BlockBegins{0}));
}

TEST(OracleBlocks, AnOpenBlockIsNotJudged) {
  EXPECT_EQ(violable("beg 1 a rd 1 x wr 2 x rd 1 x"), BlockBegins{});
}

TEST(OracleBlocks, OfNestedBlocksOnlyTheOuterCanBeViolated) {
  EXPECT_EQ(violable("beg 1 a wr 1 x beg 1 b wr 1 x end 1 b end 1 a wr 2 x"), (BlockBegins{0}));
}

TEST(OracleBlocks, AForkInsideAndTheJoinInsideIsAViolationByTheChild) {
  EXPECT_EQ(violable("beg 1 a fork 1 2 wr 2 x join 1 2 end 1 a"), (BlockBegins{0}));
}

// Transitive order of conflicts in `order`, as a matrix; the definition with nothing clever.
bool block_stands_together(const Semantics& semantics, std::span<const Position> order,
                           Position begin, Position end) {
  const size_t n = order.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) before[i][j] = conflict(semantics, order[i], order[j]);
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) before[i][j] = before[i][j] || (before[i][k] && before[k][j]);
    }
  }
  auto inside = [&](size_t i) {
    return semantics.event(order[i]).thread == semantics.event(begin).thread && begin <= order[i] &&
           order[i] <= end;
  };
  for (size_t a = 0; a < n; ++a) {
    for (size_t e = 0; e < n; ++e) {
      for (size_t b = 0; b < n; ++b) {
        if (inside(a) && !inside(e) && inside(b) && before[a][e] && before[e][b]) return false;
      }
    }
  }
  return true;
}

std::set<Position> violable_by_paths(const Semantics& semantics) {
  std::set<Position> violable;
  for_each_reordering(semantics, [&](std::span<const Position> order) {
    for (Position end : order) {
      if (semantics.event(end).kind != trace::EventKind::BlockEnd) continue;
      // The begin that this end closes.
      Position begin = end;
      for (int open = 1; open > 0;) {
        --begin;
        if (semantics.event(begin).thread != semantics.event(end).thread) continue;
        if (semantics.event(begin).kind == trace::EventKind::BlockEnd) ++open;
        if (semantics.event(begin).kind == trace::EventKind::BlockBegin) --open;
      }
      if (violable.contains(begin)) continue;
      if (!block_stands_together(semantics, order, begin, end)) violable.insert(begin);
    }
  });
  return violable;
}

TEST(OracleBlocks, RememberingSituationsAgreesWithTryingEveryPath) {
  size_t violations = 0;
  auto agrees = [&](const trace::Trace& trace, Dice&) -> std::string {
    const Oracle oracle(trace);
    const auto by_paths = violable_by_paths(oracle.semantics());
    violations += by_paths.size();
    return oracle.violable_blocks() == by_paths ? "" : "the searches differ";
  };
  expect_property("blocks-by-paths", block_profile(), {.traces = 1000, .most_events = 10}, agrees);
  EXPECT_GE(violations, 20u);
}

TEST(OracleSelf, RememberingStatesAgreesWithTryingEveryPath) {
  auto agrees = [](const trace::Trace& trace, Dice&) -> std::string {
    const Oracle oracle(trace);
    const Semantics& semantics = oracle.semantics();
    Races found;
    for_each_reordering(semantics, [&](std::span<const Position> order) {
      State state = semantics.initial();
      for (Position p : order) state = semantics.after(state, p);
      for (Position a = 0; a < semantics.size(); ++a) {
        for (Position b = a + 1; b < semantics.size(); ++b) {
          if (races_in(semantics, state, a, b)) found.emplace(a, b);
        }
      }
    });
    return oracle.races() == found ? "" : to_text(oracle.races()) + to_text(found);
  };
  for (const Profile& profile : all_profiles()) {
    expect_property("races-by-paths", profile, {.traces = 100, .most_events = 7}, agrees);
  }
}

TEST(OracleSelf, EveryRaceHasAWitnessThatIsAReordering) {
  auto has_witnesses = [](const trace::Trace& trace, Dice&) -> std::string {
    const Oracle oracle(trace);
    for (const auto& [a, b] : oracle.races()) {
      auto witness = oracle.race_witness(a, b);
      if (!witness || witness->size() < 2) return "no witness";
      witness->resize(witness->size() - 2);
      if (oracle.semantics().first_wrong_step(*witness)) return "the witness is no reordering";
    }
    return "";
  };
  for (const Profile& profile : all_profiles()) {
    expect_property("oracle-witness", profile, {.traces = 200}, has_witnesses);
  }
}

// Sync-preserving (critical sections keep their order) as an example of a restricted class.
TEST(OracleSelf, AVisitorRestrictsTheClassOfReorderings) {
  struct KeepLockOrder final : Visitor {
    explicit KeepLockOrder(const Semantics& s) : semantics(s) {}
    void visit(const State& state, std::span<const Position>) override {
      found |= races_in(semantics, state, 0, 5);
    }
    bool may_follow(const State& state, Position p) override {
      if (semantics.event(p).kind != trace::EventKind::Acquire) return true;
      for (Position q = 0; q < p; ++q) {
        if (semantics.event(q).kind == trace::EventKind::Acquire && !semantics.happened(state, q)) {
          return false;
        }
      }
      return true;
    }
    const Semantics& semantics;
    bool found = false;
  };
  const trace::Trace gamma = run_of("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x");
  const Semantics semantics(gamma);
  KeepLockOrder visitor(semantics);
  EXPECT_GT(explore(semantics, visitor), 1u);
  EXPECT_FALSE(visitor.found);
}

}  // namespace
}  // namespace foretell::oracle
