// SPDX-License-Identifier: Apache-2.0

// lock_graph, wait_graph and the judge against the oracle: every deadlock is proposed, and the
// judge is right about each proposal. sync_preserving_deadlocks against the oracle of its class.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/deadlock/lock_graph/lock_graph.h"
#include "analysis/deadlock/sync_preserving/sync_preserving_deadlocks.h"
#include "analysis/deadlock/wait_graph/wait_graph.h"
#include "explorer.h"
#include "judge/judge.h"
#include "judge/permanence.h"
#include "judge/reordering.h"
#include "oracle.h"
#include "property.h"
#include "sync_preserving_class.h"

namespace foretell::oracle {
namespace {

using Cycle = std::vector<Position>;  // ascending

class Cycles final : public analysis::ProposalSink {
 public:
  explicit Cycles(const trace::Trace& trace) : trace_(trace) {}
  void propose(finding::Proposal deadlock) override {
    EXPECT_EQ(deadlock.kind, finding::FindingKind::deadlock);
    Cycle cycle;
    for (const finding::EventRef& e : deadlock.events) {
      const auto it = std::ranges::find(trace_.events, e.index, &trace::Event::index);
      cycle.push_back(static_cast<Position>(it - trace_.events.begin()));
    }
    std::ranges::sort(cycle);
    cycles.insert(cycle);
  }

  std::set<Cycle> cycles;

 private:
  const trace::Trace& trace_;
};

template <class T>
std::set<Cycle> proposed(const trace::Trace& trace) {
  Cycles sink(trace);
  analysis::AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return trace.cells[id].alloc; };
  T analysis(options, sink);
  do {
    analysis.on_events(trace.events);
    analysis.finish();
  } while (analysis.wants_another_pass());
  return std::move(sink.cycles);
}

bool is_request(const trace::Event& e) {
  return e.kind == trace::EventKind::Request || e.kind == trace::EventKind::RequestShared;
}

// In a trace with requests: an acquire whose thread did not ask for the lock since its last event
// of locks.
bool is_try(const trace::Trace& trace, Position p) {
  const trace::Event& acquire = trace.events[p];
  if (acquire.kind == trace::EventKind::WaitEnd) return false;
  if (std::ranges::none_of(trace.events, is_request)) return false;
  for (Position q = p; q-- > 0;) {
    const trace::Event& e = trace.events[q];
    if (e.thread != acquire.thread) continue;
    if (is_request(e)) return e.lock() != acquire.lock();
    if (operands_of(e.kind) == trace::Operands::Lock && e.lock() == acquire.lock()) return true;
  }
  return true;
}

std::string cycle_text(const Cycle& cycle) {
  std::string text;
  for (Position p : cycle) text += fmt::format("{}{}", text.empty() ? "" : "-", p);
  return text;
}

bool has_try(const trace::Trace& trace, const Cycle& cycle) {
  return std::ranges::any_of(cycle, [&](Position p) { return is_try(trace, p); });
}

// Whether some of its threads are a deadlock already.
bool contains_smaller(const std::set<Cycle>& all, const Cycle& cycle) {
  return std::ranges::any_of(all, [&](const Cycle& other) {
    return other.size() < cycle.size() && std::ranges::includes(cycle, other);
  });
}

// What completeness of sync_preserving_deadlocks is about: acquires of the same threads, locks,
// held locks and sites.
using Side = std::tuple<ThreadId, bool, LockId, SiteId, std::set<std::pair<LockId, bool>>>;

std::set<Side> pattern_of(const trace::Trace& trace, const Cycle& cycle) {
  std::set<Side> sides;
  for (Position p : cycle) {
    const trace::Event& acquire = trace.events[p];
    std::set<std::pair<LockId, bool>> held;
    for (Position q = 0; q < p; ++q) {
      const trace::Event& e = trace.events[q];
      if (e.thread != acquire.thread) continue;
      if (begins_section(e.kind)) held.emplace(e.lock(), e.kind == trace::EventKind::AcquireShared);
      if (ends_section(e.kind)) {
        std::erase_if(held, [&](const auto& lock) { return lock.first == e.lock(); });
      }
    }
    sides.emplace(acquire.thread, acquire.kind == trace::EventKind::AcquireShared, acquire.lock(),
                  acquire.site, held);
  }
  return sides;
}

std::string sync_preserving_is_right(const trace::Trace& trace, Dice&) {
  const std::set<Cycle> truth = sync_preserving_deadlocks(Semantics(trace));
  std::set<std::set<Side>> found;
  for (const Cycle& cycle : proposed<analysis::SyncPreservingDeadlocks>(trace)) {
    if (!truth.contains(cycle)) return cycle_text(cycle) + " is none of the class";
    found.insert(pattern_of(trace, cycle));
  }
  for (const Cycle& cycle : truth) {
    if (has_try(trace, cycle) || contains_smaller(truth, cycle)) continue;
    if (!found.contains(pattern_of(trace, cycle))) {
      return cycle_text(cycle) + " and its like are not proposed";
    }
  }
  return "";
}

class LastingDeadlocks final : public Visitor {
 public:
  explicit LastingDeadlocks(const Semantics& semantics) : semantics_(semantics) {
    explore(semantics, *this);
  }
  void visit(const State& state, std::span<const Position>) override {
    if (!nobody_can_go_on(semantics_, state)) return;
    for (Cycle& cycle : deadlocks_in(semantics_, state)) found.insert(std::move(cycle));
  }

  std::set<Cycle> found;

 private:
  const Semantics& semantics_;
};

bool waits_for_anybody(const trace::Trace& trace, const judge::Goal& goal) {
  return std::ranges::any_of(goal.events, [&](Position p) {
    const trace::EventKind kind = trace.events[p].kind;
    return kind == trace::EventKind::SemaphoreWait || kind == trace::EventKind::BarrierExit ||
           goal.is_lost(p);
  });
}

// What is said to last ends, in some schedule, with nobody left to help.
std::string lasting_ones_last(const trace::Trace& trace, Dice&) {
  std::set<Cycle> said;
  const judge::Judge judge(trace);
  for (const Cycle& cycle : proposed<analysis::WaitGraph>(trace)) {
    const judge::Judgement judgement = judge.deadlock(cycle);
    if (judgement.outcome != judge::JudgeOutcome::witness) continue;
    if (!waits_for_anybody(trace, judgement.goal)) continue;
    if (!why_not_permanent(judge.facts(), judgement.goal, judgement.witness)) said.insert(cycle);
  }
  if (said.empty()) return "";
  const std::set<Cycle> lasting = LastingDeadlocks(Semantics(trace)).found;
  for (const Cycle& cycle : said) {
    if (!lasting.contains(cycle)) return cycle_text(cycle) + " does not last";
  }
  return "";
}

std::string graph_and_judge_are_right(const trace::Trace& trace, Dice&) {
  std::set<Cycle> cycles = proposed<analysis::LockGraph>(trace);
  cycles.merge(proposed<analysis::WaitGraph>(trace));
  const std::set<Cycle> truth = Oracle(trace).schedules().deadlocks;
  for (const Cycle& cycle : truth) {
    if (has_try(trace, cycle) || contains_smaller(truth, cycle)) continue;
    if (!cycles.contains(cycle)) return cycle_text(cycle) + " is not proposed";
  }
  const judge::Judge judge(trace);
  for (const Cycle& cycle : cycles) {
    const judge::JudgeOutcome expected =
        truth.contains(cycle) ? judge::JudgeOutcome::witness : judge::JudgeOutcome::impossible;
    const judge::Judgement judgement = judge.deadlock(cycle);
    if (judgement.outcome != expected) {
      return fmt::format("{} is judged wrongly: {}", cycle_text(cycle), judgement.reason);
    }
  }
  return "";
}

class DeadlocksVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(DeadlocksVsOracle, EveryDeadlockIsProposedAndJudgedRightly) {
  expect_property("deadlocks", GetParam(), {.traces = 3000, .most_events = 14},
                  graph_and_judge_are_right);
}

TEST_P(DeadlocksVsOracle, WhatIsSaidToLastLasts) {
  expect_property("lasting-deadlocks", GetParam(), {.traces = 2000, .most_events = 14},
                  lasting_ones_last);
}

TEST_P(DeadlocksVsOracle, SyncPreservingOnesAreProposedAndNoOthers) {
  expect_property("sync-preserving-deadlocks", GetParam(), {.traces = 3000, .most_events = 14},
                  sync_preserving_is_right);
}

// More locks, so that cycles are not rare.
Profile many_locks() {
  Profile profile = lock_profile();
  profile.name = "many_locks";
  weigh(profile, 1, {trace::EventKind::Read, trace::EventKind::Write});
  weigh(profile, 10, {trace::EventKind::Acquire, trace::EventKind::AcquireShared});
  profile.locks = 3;
  profile.most_threads = 4;
  profile.limits = true;
  profile.least_events = 8;
  profile.most_events = 14;
  return profile;
}

// Locks in hand while something else is waited for.
Profile locks_and_waits() {
  Profile profile = sync_profile();
  profile.name = "locks_and_waits";
  profile.limits = true;
  profile.locks = 2;
  profile.least_events = 6;
  profile.most_events = 14;
  weigh(profile, 1, {trace::EventKind::Read, trace::EventKind::Write});
  weigh(profile, 20, {trace::EventKind::Acquire, trace::EventKind::Release});
  weigh(profile, 10, {trace::EventKind::SemaphoreWait, trace::EventKind::SemaphorePost});
  weigh(profile, 5, {trace::EventKind::BarrierEnter, trace::EventKind::Join});
  return profile;
}

std::vector<Profile> deadlock_profiles() {
  std::vector<Profile> all = all_profiles();
  all.push_back(many_locks());
  all.push_back(locks_and_waits());
  return all;
}

// So that the properties above are about something.
TEST(DeadlocksOfTheOracle, OccurWithEveryKindOfWait) {
  std::map<trace::EventKind, size_t> stuck;
  size_t alone = 0;
  for (const Profile& profile : {many_locks(), locks_and_waits()}) {
    for (uint64_t number = 0; number < 10'000; ++number) {
      const auto trace = well_formed(nth_trace(profile, number));
      if (!trace || trace->events.size() > 14) continue;
      for (const Cycle& cycle : Oracle(*trace).schedules().deadlocks) {
        for (Position p : cycle) ++stuck[trace->events[p].kind];
        alone += cycle.size() == 1;
      }
    }
  }
  for (trace::EventKind kind :
       {trace::EventKind::Acquire, trace::EventKind::AcquireShared, trace::EventKind::WaitEnd,
        trace::EventKind::Join, trace::EventKind::SemaphoreWait, trace::EventKind::BarrierExit}) {
    EXPECT_GT(stuck[kind], 3u) << word_of(kind);
  }
  EXPECT_GT(alone, 3u);
}

INSTANTIATE_TEST_SUITE_P(Profiles, DeadlocksVsOracle, testing::ValuesIn(deadlock_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
