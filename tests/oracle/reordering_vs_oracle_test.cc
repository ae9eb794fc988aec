// SPDX-License-Identifier: Apache-2.0

// The checkers of reorderings and witnesses accept exactly what the oracle accepts.
#include "judge/reordering.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/machine.h"
#include "oracle.h"
#include "property.h"

namespace foretell::oracle {
namespace {

std::string shown(std::span<const Position> order) {
  std::string text;
  for (Position p : order) text += fmt::format(" {}", p);
  return text;
}

// Compares verdict and step; empty if they agree.
std::string compare(const Semantics& semantics, std::span<const Position> order) {
  const auto ours = judge::check_reordering(semantics.trace(), order);
  const auto truth = semantics.first_wrong_step(order);
  if (ours.has_value() != truth.has_value()) {
    return fmt::format("order{}: checker {}, oracle {}", shown(order),
                       ours ? "refuses: " + ours->reason : "accepts",
                       truth ? "refuses" : "accepts");
  }
  if (ours && ours->step != *truth) {
    return fmt::format("order{}: checker refuses step {}, oracle step {}", shown(order), ours->step,
                       *truth);
  }
  return "";
}

// After every state: every event, next or not.
class EveryStep final : public Visitor {
 public:
  explicit EveryStep(const Semantics& semantics) : semantics_(semantics) {}

  void visit(const State&, std::span<const Position> path) override {
    Interleaving order(path.begin(), path.end());
    order.push_back(0);
    for (Position p = 0; p < semantics_.size() && fault.empty(); ++p) {
      order.back() = p;
      fault = compare(semantics_, order);
    }
  }
  bool may_follow(const State&, Position) override { return fault.empty(); }

  std::string fault;

 private:
  const Semantics& semantics_;
};

// After every state: every pair of events, in both orders.
class EveryPair final : public Visitor {
 public:
  explicit EveryPair(const Semantics& semantics) : semantics_(semantics) {}

  void visit(const State& state, std::span<const Position> path) override {
    Interleaving order(path.begin(), path.end());
    order.resize(order.size() + 2);
    for (Position a = 0; a < semantics_.size() && fault.empty(); ++a) {
      for (Position b = 0; b < semantics_.size(); ++b) {
        order[order.size() - 2] = a;
        order[order.size() - 1] = b;
        const auto ours = judge::check_race_witness(semantics_.trace(), order);
        if (!ours == races_in(semantics_, state, a, b)) continue;
        fault = fmt::format("witness{}: checker {}, oracle does not", shown(order),
                            ours ? "refuses: " + ours->reason : "accepts");
        return;
      }
    }
  }
  bool may_follow(const State&, Position) override { return fault.empty(); }

  std::string fault;

 private:
  const Semantics& semantics_;
};

// After every state: every pair of events as a deadlock, and every event as a read of another
// write; written out, and with the beginning of the recorded run left out where the path starts
// with it.
class EveryDeadlockAndRead final : public Visitor {
 public:
  explicit EveryDeadlockAndRead(const Semantics& semantics)
      : semantics_(semantics), facts_(semantics.trace()) {}

  void visit(const State& state, std::span<const Position> path) override {
    const auto deadlocks = deadlocks_in(semantics_, state);
    Position recorded = 0;
    while (recorded < path.size() && path[recorded] == recorded) ++recorded;
    for (Position skipped : {Position{0}, recorded}) {
      judge::Reordering order{skipped, {path.begin() + skipped, path.end()}};
      for (Position a = 0; a < semantics_.size() && fault.empty(); ++a) {
        order.steps.push_back(a);
        const auto seen = other_writer_in(semantics_, state, a);
        compare(!check_read_witness(facts_, order, {}), seen.has_value(), order, "read");
        if (seen) {
          const Position writer = seen->value_or(judge::kNoPosition);
          compare(!check_read_witness(facts_, order, {}, writer), true, order, "read of a write");
        }
        for (Position b = a + 1; b < semantics_.size() && fault.empty(); ++b) {
          order.steps.push_back(b);
          const bool truth = std::ranges::find(deadlocks, std::vector{a, b}) != deadlocks.end();
          compare(!check_deadlock_witness(facts_, order, 2), truth, order, "deadlock");
          order.steps.pop_back();
        }
        order.steps.pop_back();
      }
    }
  }
  bool may_follow(const State&, Position) override { return fault.empty(); }

  std::string fault;

 private:
  void compare(bool accepted, bool truth, const judge::Reordering& order, std::string_view what) {
    if (accepted == truth || !fault.empty()) return;
    fault = fmt::format("{} of {} recorded events and{}: checker {}, oracle does not", what,
                        order.recorded, shown(order.steps), accepted ? "accepts" : "refuses");
  }

  const Semantics& semantics_;
  const judge::TraceFacts facts_;
};

template <class Each>
std::string fault_anywhere(const trace::Trace& trace) {
  const Semantics semantics(trace);
  Each visitor(semantics);
  explore(semantics, visitor);
  return visitor.fault;
}

// A random reordering, then spoilt in a random way.
std::string walk_and_mutate(const trace::Trace& trace, Dice& dice) {
  const Semantics semantics(trace);
  for (int walk = 0; walk < 10; ++walk) {
    Interleaving order;
    State state = semantics.initial();
    for (uint32_t tries = 0; tries < 4 * semantics.size(); ++tries) {
      const auto p = semantics.next(state, ThreadId{dice.below(semantics.thread_count())});
      if (!p || !semantics.enabled(state, *p)) continue;
      order.push_back(*p);
      state = semantics.after(state, *p);
    }
    if (auto fault = compare(semantics, order); !fault.empty()) return fault;
    if (order.size() < 2) continue;
    const size_t at = dice.below(order.size() - 1);
    switch (dice.below(3)) {
      case 0:
        std::swap(order[at], order[at + 1]);
        break;
      case 1:
        order.erase(order.begin() + static_cast<ptrdiff_t>(at));
        break;
      default:
        order[at] = dice.below(semantics.size());
        break;
    }
    if (auto fault = compare(semantics, order); !fault.empty()) return fault;
  }
  return "";
}

class ReorderingVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(ReorderingVsOracle, EveryNextStepIsJudgedAlike) {
  expect_property(
      "check-reordering", GetParam(), {.traces = 500, .most_events = 12},
      [](const trace::Trace& trace, Dice&) { return fault_anywhere<EveryStep>(trace); });
}

TEST_P(ReorderingVsOracle, RandomWalksAndSpoiltOnesAreJudgedAlike) {
  expect_property("check-reordering-walks", GetParam(), {.traces = 2000}, walk_and_mutate);
}

TEST_P(ReorderingVsOracle, RaceWitnessesAreJudgedAlike) {
  expect_property(
      "check-race-witness", GetParam(), {.traces = 200, .most_events = 9},
      [](const trace::Trace& trace, Dice&) { return fault_anywhere<EveryPair>(trace); });
}

TEST_P(ReorderingVsOracle, DeadlocksAndReadsAreJudgedAlike) {
  expect_property(
      "check-deadlock-read", GetParam(), {.traces = 500, .most_events = 10},
      [](const trace::Trace& trace, Dice&) { return fault_anywhere<EveryDeadlockAndRead>(trace); });
}

// A recorded beginning that is not executed again makes no difference.
TEST_P(ReorderingVsOracle, RecordedBeginningsAreJudgedAlike) {
  expect_property(
      "check-recorded", GetParam(), {.traces = 2000},
      [](const trace::Trace& trace, Dice& dice) -> std::string {
        const judge::TraceFacts facts(trace);
        const auto size = static_cast<uint32_t>(facts.size());
        for (int walk = 0; walk < 10; ++walk) {
          const Position recorded = dice.below(size + 1);
          judge::Reordering order{recorded};
          judge::Machine machine(facts, recorded);
          for (int tries = 0; tries < 20; ++tries) {
            const size_t thread = dice.below(static_cast<uint32_t>(facts.thread_count()));
            if (machine.progress()[thread] == facts.events_of[thread].size()) continue;
            const Position p = machine.next_of(thread);
            order.steps.push_back(p);
            if (!machine.enabled(p)) break;
            machine.apply(p);
          }
          const auto ours = check_reordering(facts, order);
          const auto truth = Semantics(trace).first_wrong_step(order.written_out());
          if (ours.has_value() != truth.has_value() || (ours && ours->step != *truth)) {
            return fmt::format("{} recorded events and{}", recorded, shown(order.steps));
          }
        }
        return "";
      });
}

INSTANTIATE_TEST_SUITE_P(Profiles, ReorderingVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
