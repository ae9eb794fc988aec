// SPDX-License-Identifier: Apache-2.0

// The judge: can the trace be reordered to reach this goal?
//
// The cheapest step comes first. Steps are tried until one answers:
//   needs        what every witness contains (needs.h); a contradiction is a proof of "no";
//   recorded     the needed events in recorded order, after as much of the recorded run as the goal
//                allows (window.h): settles most races;
//   saturation   orders every witness has (saturation.h); a cycle is a proof of "no"; otherwise
//                the needed events once more, keeping these orders;
//   search       backtracking (search.h): first over the order of the last needed events, then of
//                more of them, then of all events. For traces of a few events it is never cut
//                short, so the answer there is exact;
//   smt          if asked for: the question as clauses for an SMT solver (smt_search.h), on the
//                whole trace if it is short, else on the last needed events.
// No witness contains an ambiguous read (trace/event.h), and nothing is refuted because of one:
// what needs one is given up. Every witness has passed check_witness before it is returned.
//
// The first steps cost what the part of the trace between the goal's events costs, not what comes
// before it. A judge may be asked by several threads at once.
#pragma once

#include <cstdint>
#include <string>

#include "judge/goal.h"
#include "judge/trace_facts.h"

namespace foretell::judge {

enum class JudgeOutcome : uint8_t { witness, impossible, gave_up };
enum class JudgeStep : uint8_t { needs, recorded, saturation, search, smt };

struct Judgement {
  JudgeOutcome outcome{};
  JudgeStep step{};         // which one answered
  std::string reason = {};  // one sentence
  Reordering witness = {};  // ends with the stopped events of the goal
  Goal goal = {};           // the one that was decided: settled (judge/goal.h)
};

struct JudgeOptions {
  uint64_t search_steps = 200'000;   // events executed while trying, for one goal
  size_t exact_up_to = 16;           // traces of at most this many events are searched completely
  bool smt = false;                  // when the search gives up, ask Z3
  uint32_t smt_effort = 20'000'000;  // in Z3's own steps
};

class Judge {
 public:
  // `trace` is normalized and must outlive the judge.
  explicit Judge(const trace::Trace& trace, JudgeOptions options = {})
      : facts_(trace), options_(options) {}
  // Of an excerpt of a longer trace: never says "impossible".
  explicit Judge(const Excerpt& excerpt, JudgeOptions options = {})
      : facts_(excerpt), options_(options) {}

  // Two accesses that happen side by side.
  Judgement race(Position first, Position second) const {
    return decide(Goal::race(first, second));
  }
  // Events that happen in this order.
  Judgement order(std::vector<Position> events) const {
    return decide(Goal::order(std::move(events)));
  }
  // Events at which threads are stuck, in any order.
  Judgement deadlock(std::vector<Position> stuck) const {
    return decide(Goal::deadlock(std::move(stuck)));
  }
  Judgement decide(Goal goal) const;

  // A witness as short and with as few thread switches as can be had cheaply: to be shown or
  // replayed. `goal` is the one it is a witness of.
  Reordering minimized(Goal goal, Reordering witness) const;

  const TraceFacts& facts() const { return facts_; }

 private:
  Judgement decide_of(Goal goal) const;
  Judgement decide_settled(const Goal& goal) const;
  Judgement decide_another_write(const Goal& goal) const;

  TraceFacts facts_;
  JudgeOptions options_;
};

// For a single question; the witness is minimized.
Judgement judge(const trace::Trace& trace, const Goal& goal, const JudgeOptions& options = {});
Judgement judge_race(const trace::Trace& trace, Position first, Position second,
                     const JudgeOptions& options = {});

}  // namespace foretell::judge
