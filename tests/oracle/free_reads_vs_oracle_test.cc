// SPDX-License-Identifier: Apache-2.0

// Free reads: the judge finds the same reads free as the rules of docs/semantics.md, and with them
// is right about every race and every deadlock of two threads.
#include "judge/free_reads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "free_reads.h"
#include "judge/judge.h"
#include "oracle.h"
#include "property.h"
#include "trace/contained_statements.h"

namespace foretell::oracle {
namespace {

constexpr auto kFree = trace::ReadDemand::free;

struct Count {
  size_t strict = 0;  // goals with a witness in which all reads keep their writers
  size_t freed = 0;   // those that need a free read
  size_t impossible = 0;
};

bool reaches(const Semantics& semantics, const State& state, bool race,
             const std::vector<Position>& events) {
  if (race) return races_in(semantics, state, events[0], events[1]);
  const auto deadlocks = deadlocks_in(semantics, state);
  return std::ranges::find(deadlocks, events) != deadlocks.end();
}

std::string witness_fault(const Semantics& semantics, bool race,
                          const std::vector<Position>& events, const judge::Reordering& witness) {
  Interleaving order = witness.written_out();
  if (order.size() < events.size()) return "witness too short";
  order.resize(order.size() - events.size());
  if (semantics.first_wrong_step(order)) return "witness is no reordering";
  State state = semantics.initial();
  for (Position p : order) state = semantics.after(state, p);
  return reaches(semantics, state, race, events) ? "" : "witness does not reach the goal";
}

std::string pair_agrees(const trace::Trace& trace, const judge::FreeReads& reads,
                        const Truth& strict, bool race, const std::vector<Position>& events,
                        size_t exact_up_to, Count& count) {
  const std::set<Position> expected = free_reads(trace, events);
  const std::vector<bool> found = reads.free_for(events);
  for (Position p = 0; p < trace.events.size(); ++p) {
    const bool free = !found.empty() && found[p];
    if (free != expected.contains(p)) return fmt::format("read {} is free: judge says {}", p, free);
  }
  const trace::Trace marked = with_free_reads(trace, events);
  const Oracle oracle(marked, kFree);
  const Truth truth = oracle.schedules();
  const Pair pair{events[0], events[1]};
  const bool possible = race ? truth.races.contains(pair) : truth.deadlocks.contains(events);
  const bool before = race ? strict.races.contains(pair) : strict.deadlocks.contains(events);
  if (before && !possible) return "lost by freedom";
  ++(before ? count.strict : possible ? count.freed : count.impossible);

  const auto is_free = [&](judge::Position p) { return !found.empty() && found[p]; };
  const judge::Judge judge(
      trace, {.exact_up_to = exact_up_to, .reads = {.demand = kFree, .is_free = is_free}});
  const judge::Goal goal =
      race ? judge::Goal::race(events[0], events[1]) : judge::Goal::deadlock(events);
  const judge::Judgement judgement = judge.decide(goal);
  if (judgement.outcome == judge::JudgeOutcome::gave_up) return "judge gave up";
  const bool accepted = judgement.outcome == judge::JudgeOutcome::witness;
  if (accepted != possible) return fmt::format("judge says {}", judgement.reason);
  if (!accepted) return "";
  const std::string fault = witness_fault(oracle.semantics(), race, events, judgement.witness);
  if (!fault.empty()) return fault;
  return witness_fault(oracle.semantics(), race, events,
                       judge.minimized(goal, judgement.witness, judgement.reads));
}

std::string free_reads_agree(const trace::Trace& trace, size_t exact_up_to, Count& count) {
  const judge::Judge judge(trace);
  const std::vector<SiteId> contained = contained_statements(trace.tables.facts);
  const judge::FreeReads reads(trace, judge.facts().partner, trace.tables.facts.statements,
                               contained);
  const Truth strict = Oracle(trace).schedules();
  for (Position a = 0; a < trace.events.size(); ++a) {
    for (Position b = a + 1; b < trace.events.size(); ++b) {
      const bool race = clash(trace.events[a], trace.events[b]);
      const bool may_block =
          begins_section(trace.events[a].kind) && begins_section(trace.events[b].kind);
      if (!race && !may_block) continue;
      const std::string fault = pair_agrees(trace, reads, strict, race, {a, b}, exact_up_to, count);
      if (!fault.empty()) return fmt::format("{} and {}: {}", a, b, fault);
    }
  }
  return "";
}

class FreeReadsVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(FreeReadsVsOracle, TheJudgeIsRight) {
  for (const size_t exact_up_to : {16, 0}) {
    Count count;
    expect_property("judge-free-reads", GetParam(), {.traces = 300, .most_events = 12},
                    [&](const trace::Trace& plain, Dice& dice) {
                      trace::Trace trace = plain;
                      add_random_statements(trace, dice);
                      return free_reads_agree(trace, exact_up_to, count);
                    });
    EXPECT_GT(count.strict, 0u);
    EXPECT_GT(count.freed, 0u);
    EXPECT_GT(count.impossible, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, FreeReadsVsOracle,
                         testing::Values(race_profile(), value_profile(), lock_profile(),
                                         everything_profile()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
