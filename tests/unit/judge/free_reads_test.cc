// SPDX-License-Identifier: Apache-2.0

// Which reads are free for a race (docs/semantics.md, "Which reads are free"). In all traces thread 2
// reads x, which thread 1 wrote after z, and then writes z itself: as long as the read keeps its
// write, the writes of z do not meet.
#include "judge/free_reads.h"

#include "judge/judge.h"
#include "trace/contained_statements.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

std::vector<Position> writes_of_z(const trace::Trace& trace) {
  std::vector<Position> writes;
  for (Position p = 0; p < trace.events.size(); ++p) {
    const trace::Event& e = trace.events[p];
    if (is_access(e.kind) && trace.location_name(e.location()) == "z") writes.push_back(p);
  }
  return writes;
}

bool race_with_free_reads(const std::string& lines, const std::string& events) {
  const trace::Trace trace =
      trace_of("statement @first\nstatement @store\nstatement @last\n" + lines + events);
  const std::vector<Position> race = writes_of_z(trace);
  EXPECT_EQ(race.size(), 2u);
  if (race.size() != 2) return false;
  const Judge strict(trace);
  EXPECT_EQ(strict.race(race[0], race[1]).outcome, JudgeOutcome::impossible);
  const std::vector<SiteId> contained = contained_statements(trace.tables.facts);
  const FreeReads reads(trace, strict.facts().partner, trace.tables.facts.statements, contained);
  const std::vector<bool> free = reads.free_for(race);
  if (free.empty()) return false;
  const Judge judge(trace, {.reads = {.demand = trace::ReadDemand::free,
                                      .is_free = [&](Position p) { return free[p]; }}});
  return judge.race(race[0], race[1]).outcome == JudgeOutcome::witness;
}

const std::string kEvents = "wr 1 z @first wr 1 x @store rd 2 x @load wr 2 z @last";

TEST(FreeReads, WhatNothingDependsOnIsFree) {
  EXPECT_TRUE(race_with_free_reads("statement @load contained\n", kEvents));
}

TEST(FreeReads, WithoutAWordAboutItNothingIsFree) {
  EXPECT_FALSE(race_with_free_reads("", kEvents));
  EXPECT_FALSE(race_with_free_reads("statement @load\n", kEvents));
}

TEST(FreeReads, WhatDecidesWhetherTheGoalIsReachedIsKept) {
  EXPECT_FALSE(race_with_free_reads("statement @load contained scope @last\n", kEvents));
  EXPECT_TRUE(race_with_free_reads("statement @load contained scope @store\n", kEvents));
}

TEST(FreeReads, AnUnknownStatementDependsOnAllThatItsThreadHasRead) {
  EXPECT_FALSE(race_with_free_reads(
      "statement @load contained\n",
      "wr 1 z @first wr 1 x @store rd 2 x @load wr 2 q @unknown acq 2 m @lock wr 2 z @last"));
  EXPECT_TRUE(race_with_free_reads(
      "statement @load contained\nstatement @lock\n",
      "wr 1 z @first wr 1 x @store rd 2 x @load wr 2 q @unknown acq 2 m @lock wr 2 z @last"));
}

// The document forgets this: the second thread could not get on.
TEST(FreeReads, SynchronizationThatTheGoalDoesNotNeedIsKept) {
  EXPECT_FALSE(race_with_free_reads(
      "statement @load contained scope @lock\nstatement @lock\n",
      "wr 1 z @first wr 1 x @store rd 2 x @load acq 2 m @lock rel 2 m @lock wr 2 z @last"));
}

TEST(FreeReads, ABranchHandsOnWhatItIsComputedFrom) {
  const std::string events = "wr 1 z @first wr 1 x @store rd 2 x @load branch 2 @if wr 2 z @last";
  EXPECT_FALSE(race_with_free_reads(
      "statement @load contained\nstatement @if contained uses @load scope @last\n", events));
  EXPECT_TRUE(race_with_free_reads(
      "statement @load contained\nstatement @if contained uses @load\n", events));
  // It does not say that its scope does no harm.
  EXPECT_FALSE(
      race_with_free_reads("statement @load contained\nstatement @if uses @load\n", events));
}

// `if (x) y = 1; if (y) z = 1`: x was 0, and what it would have written is read later.
TEST(FreeReads, WhatCouldWriteForAKeptReadIsKept) {
  const std::string events = "wr 1 z @first wr 1 x @store rd 2 x @load rd 2 y @flag wr 2 z @last";
  const std::string flag = "statement @flag contained scope @last\n";
  EXPECT_FALSE(race_with_free_reads(flag + "statement @load contained changes y\n", events));
  EXPECT_TRUE(race_with_free_reads(flag + "statement @load contained changes q\n", events));
}

TEST(FreeReads, ThroughMemoryDependencesAreFollowed) {
  const std::string events =
      "wr 1 z @first wr 1 x @store rd 2 x @load wr 2 y @copy rd 2 y @flag wr 2 z @last";
  const std::string lines = "statement @load contained\nstatement @copy uses @load\n";
  EXPECT_FALSE(race_with_free_reads(lines + "statement @flag contained scope @last\n", events));
  EXPECT_TRUE(race_with_free_reads(lines + "statement @flag contained\n", events));
}

TEST(FreeReads, TheEndOfAThreadDependsOnNothing) {
  EXPECT_TRUE(race_with_free_reads("statement @load contained\n", kEvents + " exit 2"));
}

TEST(FreeReads, AtomicReadsKeepTheirWrites) {
  EXPECT_FALSE(race_with_free_reads("statement @load contained\n",
                                    "wr 1 z @first awr 1 x @store ard 2 x @load wr 2 z @last"));
}

}  // namespace
}  // namespace foretell::judge
