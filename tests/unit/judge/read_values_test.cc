// SPDX-License-Identifier: Apache-2.0

// Which reads may have another writer under the demand for the same value (docs/semantics.md).
#include "judge/read_values.h"

#include "judge/judge.h"
#include "judge/trace_facts.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

constexpr auto kSameValue = trace::ReadDemand::same_value;

bool is_flexible(const trace::Trace& trace, Position read) {
  return !TraceFacts(trace, {.demand = kSameValue}).values.keeps_writer(read);
}

TEST(ReadValues, AReadMayReturnTheSameValueFromAnotherWrite) {
  const trace::Trace trace = trace_of("wr 1 x 5 wr 2 x 5 wr 1 x 6 wr 2 x 5 rd 3 x 5");
  EXPECT_TRUE(is_flexible(trace, 4));
  const TraceFacts facts(trace, {.demand = kSameValue});
  EXPECT_TRUE(facts.serves(0, 4));
  EXPECT_TRUE(facts.serves(1, 4));
  EXPECT_FALSE(facts.serves(2, 4));
  EXPECT_FALSE(facts.serves(kNoPosition, 4));
}

TEST(ReadValues, UnknownValuesFallBackToTheWriter) {
  EXPECT_FALSE(is_flexible(trace_of("wr 1 x wr 2 x 5 rd 3 x 5"), 2));
  EXPECT_FALSE(is_flexible(trace_of("wr 1 x 5 wr 2 x 5 rd 3 x"), 2));
  EXPECT_FALSE(is_flexible(trace_of("wr 1 x 5 wr 2 x 6 rd 3 x 6"), 2));
}

TEST(ReadValues, TheInitialValueIsWhatAReadHasShown) {
  EXPECT_TRUE(is_flexible(trace_of("rd 1 x 0 wr 1 x 0 rd 2 x 0"), 2));
  EXPECT_FALSE(is_flexible(trace_of("wr 1 x 0 rd 2 x 0"), 1));
}

// Each half of the read finds its value in some order of the halves, but no run shows both.
TEST(ReadValues, TheCellsOfOneAccessAreReadAtOneInstant) {
  const trace::Trace trace = trace_of(
      "rd 1 b+0:4 0 rd 1 b+4:4 0 "
      "wr 2 b+0:8 0x100000000 wr 3 b+0:8 1 wr 4 b+0:8 0 rd 1 b+0:8 0");
  for (Position p = 0; p < trace.events.size(); ++p) {
    const bool wide = trace.events[p].index == EventIndex{5};
    if (wide) EXPECT_FALSE(is_flexible(trace, p)) << p;
  }
}

// Found by a random trace: the value of the write is split, that of the read is known.
TEST(ReadValues, WhatItsOwnWriterStoredNeedNotBeKnown) {
  const trace::Trace trace = trace_of("rd 4 b+2:4 0 wr 1 b+0:8 0 rd 4 b+2:4 0");
  EXPECT_TRUE(is_flexible(trace, static_cast<Position>(trace.events.size()) - 1));
}

TEST(ReadValues, NarrowValuesAreComparedModuloTheirWidth) {
  EXPECT_TRUE(is_flexible(trace_of("wr 1 b+0:1 255 wr 2 b+0:1 -1 rd 3 b+0:1 255"), 2));
}

TEST(ReadValues, AnAddressIsTheSameOnlyInTheSameLifeOfItsMemory) {
  const std::string before = "alloc 1 0x20000:16 wr 1 p+0:8 0x20008 ";
  const std::string after = "wr 2 p+0:8 0x20008 rd 3 p+0:8 0x20008";
  EXPECT_TRUE(is_flexible(trace_of(before + after), 3));
  const std::string again = "free 1 0x20000:16 alloc 2 0x20000:16 ";
  // The memory was given out again: another object, by chance at the same address.
  const trace::Trace reused = trace_of(before + again + after);
  EXPECT_FALSE(is_flexible(reused, static_cast<Position>(reused.events.size()) - 1));
}

TEST(ReadValues, AWordThatMayBeAnAddressOfUnknownMemoryNeverMatches) {
  EXPECT_FALSE(
      is_flexible(trace_of("wr 1 p+0:8 0x20008 wr 2 p+0:8 0x20008 rd 3 p+0:8 0x20008"), 2));
  EXPECT_TRUE(is_flexible(trace_of("wr 1 p+0:8 7 wr 2 p+0:8 7 rd 3 p+0:8 7"), 2));
}

trace::Trace recorded(std::string_view text, bool zeroed) {
  trace::Trace trace = trace_of(text);
  trace.tables.facts.has_unrecorded_writes = true;
  if (zeroed) {
    trace.tables.facts.zeroed.push_back({.space = trace.tables.strings.intern("y"), .size = 4});
  }
  return trace;
}

TEST(ReadValues, ARecordedProgramStartsWithTheZerosOfItsImage) {
  const char* text = "wr 1 y+0:4 0 rd 2 y+0:4 0";
  EXPECT_TRUE(is_flexible(recorded(text, true), 1));
  EXPECT_FALSE(is_flexible(recorded(text, false), 1));
  // Code that records nothing has written it first.
  EXPECT_FALSE(is_flexible(recorded("rd 3 y+0:4 9 wr 1 y+0:4 0 rd 2 y+0:4 0", true), 2));
  // And somewhere between.
  EXPECT_FALSE(is_flexible(recorded("wr 1 y+0:4 0 rd 2 y+0:4 0 rd 3 y+0:4", true), 1));
}

TEST(ReadValues, TheJudgeSaysWhichDemandAWitnessNeeds) {
  const trace::Trace trace =
      trace_of("rd 3 y 0 wr 1 x 1 acq 1 m wr 1 y 0 rel 1 m acq 2 m rd 2 y 0 rel 2 m wr 2 x 2");
  EXPECT_EQ(Judge(trace).race(1, 8).outcome, JudgeOutcome::impossible);
  const Judgement judgement = Judge(trace, {.reads = {.demand = kSameValue}}).race(1, 8);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::witness);
  EXPECT_EQ(judgement.reads, kSameValue);
  const Judge loose(trace, {.reads = {.demand = kSameValue}});
  EXPECT_EQ(loose.race(0, 3).reads, trace::ReadDemand::same_writer);
}

// A write that only one thread's reads can be served by is in the window of a long trace, too.
TEST(ReadValues, ALongTraceIsSearchedForAnotherWriter) {
  std::string text = "wr 3 y 0 ";
  for (int i = 0; i < 50; ++i) text += "acq 3 n wr 3 z rel 3 n ";
  text += "wr 1 x 1 acq 1 m wr 1 y 0 rel 1 m acq 2 m rd 2 y 0 rel 2 m wr 2 x 2";
  const trace::Trace trace = trace_of(text);
  const auto size = static_cast<Position>(trace.events.size());
  const Judge judge(trace, {.reads = {.demand = kSameValue}});
  const Judgement judgement = judge.race(size - 8, size - 1);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::witness) << judgement.reason;
  EXPECT_EQ(judgement.reads, kSameValue);
}

}  // namespace
}  // namespace foretell::judge
