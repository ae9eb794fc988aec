// The judge of races is never wrong on small traces, and never gives up on them.
#include "order/race_builder.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "property.h"

namespace foretell::oracle {
namespace {

// Empty if `witness` leads to a state in which its last two events race.
std::string fault_of_witness(const Semantics& semantics, Interleaving witness, Position first,
                             Position second) {
  if (witness.size() < 2) return "witness too short";
  const Pair last = std::minmax(witness[witness.size() - 2], witness.back());
  if (last != Pair{first, second}) return "witness ends with other events";
  witness.resize(witness.size() - 2);
  if (semantics.first_wrong_step(witness)) return "witness is no reordering";
  State state = semantics.initial();
  for (Position p : witness) state = semantics.after(state, p);
  if (!races_in(semantics, state, first, second)) return "witness does not end in the race";
  return "";
}

std::string judge_agrees(const Trace& trace, Dice&) {
  const Oracle oracle(trace);
  const std::set<Pair> races = oracle.races();
  const Judge judge(trace);
  for (Position a = 0; a < trace.events.size(); ++a) {
    for (Position b = a + 1; b < trace.events.size(); ++b) {
      if (!clash(trace.events[a], trace.events[b])) continue;
      const Judgement judgement = judge.race(a, b);
      const bool race = races.contains({a, b});
      std::string fault;
      switch (judgement.outcome) {
        case JudgeOutcome::gave_up:
          fault = "judge gave up";
          break;
        case JudgeOutcome::impossible:
          if (race) fault = "judge says impossible, oracle has a witness";
          break;
        case JudgeOutcome::witness:
          fault = race ? fault_of_witness(oracle.semantics(), judgement.witness, a, b)
                       : "judge has a witness, oracle says impossible";
          break;
      }
      if (!fault.empty()) return fmt::format("{}-{}: {} ({})", a, b, fault, judgement.reason);
    }
  }
  return "";
}

class JudgeVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(JudgeVsOracle, EveryClashingPairIsJudgedRight) {
  expect_property("judge", GetParam(), {.traces = 2000, .most_events = 14}, judge_agrees);
}

INSTANTIATE_TEST_SUITE_P(Profiles, JudgeVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
