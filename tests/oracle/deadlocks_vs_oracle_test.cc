// lock_graph and the judge against the oracle: every deadlock is proposed, and the judge is right
// about each proposal.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/deadlock/lock_graph/lock_graph.h"
#include "oracle.h"
#include "order/judge.h"
#include "property.h"

namespace foretell::oracle {
namespace {

using Cycle = std::vector<Position>;  // ascending

class Cycles final : public ProposalSink {
 public:
  explicit Cycles(const Trace& trace) : trace_(trace) {}
  void propose(const RaceProposal&) override { ADD_FAILURE() << "lock_graph proposed a race"; }
  void propose_other(Proposal deadlock) override {
    Cycle cycle;
    for (const EventRef& e : deadlock.events) {
      const auto it = std::ranges::find(trace_.events, e.index, &Event::index);
      cycle.push_back(static_cast<Position>(it - trace_.events.begin()));
    }
    std::ranges::sort(cycle);
    cycles.insert(cycle);
  }

  std::set<Cycle> cycles;

 private:
  const Trace& trace_;
};

std::set<Cycle> proposed(const Trace& trace) {
  Cycles sink(trace);
  LockGraph graph({}, sink);
  static_cast<Analysis&>(graph).on_events(trace.events);
  graph.finish();
  return std::move(sink.cycles);
}

bool is_request(const Event& e) {
  return e.kind == EventKind::Request || e.kind == EventKind::RequestShared;
}

// In a trace with requests: an acquire whose thread did not ask for the lock since its last event
// of locks.
bool is_try(const Trace& trace, Position p) {
  const Event& acquire = trace.events[p];
  if (acquire.kind == EventKind::WaitEnd) return false;
  if (std::ranges::none_of(trace.events, is_request)) return false;
  for (Position q = p; q-- > 0;) {
    const Event& e = trace.events[q];
    if (e.thread != acquire.thread) continue;
    if (is_request(e)) return e.lock() != acquire.lock();
    if (operands_of(e.kind) == Operands::Lock && e.lock() == acquire.lock()) return true;
  }
  return true;
}

std::string to_text(const Cycle& cycle) {
  std::string text;
  for (Position p : cycle) text += fmt::format("{}{}", text.empty() ? "" : "-", p);
  return text;
}

std::string graph_and_judge_are_right(const Trace& trace, Dice&) {
  const std::set<Cycle> cycles = proposed(trace);
  const std::set<Cycle> truth = Oracle(trace).schedules().deadlocks;
  for (const Cycle& cycle : truth) {
    const bool tries = std::ranges::any_of(cycle, [&](Position p) { return is_try(trace, p); });
    if (!tries && !cycles.contains(cycle)) return to_text(cycle) + " is not proposed";
  }
  const Judge judge(trace);
  for (const Cycle& cycle : cycles) {
    const JudgeOutcome expected =
        truth.contains(cycle) ? JudgeOutcome::witness : JudgeOutcome::impossible;
    const Judgement judgement = judge.deadlock(cycle);
    if (judgement.outcome != expected) {
      return fmt::format("{} is judged wrongly: {}", to_text(cycle), judgement.reason);
    }
  }
  return "";
}

class DeadlocksVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(DeadlocksVsOracle, EveryDeadlockIsProposedAndJudgedRightly) {
  expect_property("deadlocks", GetParam(), {.traces = 3000, .most_events = 14},
                  graph_and_judge_are_right);
}

// More locks, so that cycles are not rare.
Profile many_locks() {
  Profile profile = lock_profile();
  profile.name = "many_locks";
  profile.locks = 3;
  profile.most_threads = 4;
  profile.least_events = 8;
  profile.most_events = 14;
  return profile;
}

std::vector<Profile> profiles() {
  std::vector<Profile> all = all_profiles();
  all.push_back(many_locks());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Profiles, DeadlocksVsOracle, testing::ValuesIn(profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
