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
// What the reads of a witness must have in common with the trace is a demand
// (trace/read_demand.h). Where no witness keeps every writer, the judge asks again with the weaker
// one that the options allow, and says which was needed.
//
// No witness contains an ambiguous read (trace/event.h), and nothing is refuted because of one:
// what needs one is given up. Every witness has passed check_witness before it is returned.
//
// The first steps cost what the part of the trace between the goal's events costs, not what comes
// before it. A judge may be asked by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
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
  trace::ReadDemand reads = trace::ReadDemand::same_writer;  // what the witness keeps
};

struct JudgeOptions {
  uint64_t search_steps = 200'000;   // events executed while trying, for one goal
  size_t exact_up_to = 16;           // traces of at most this many events are searched completely
  bool smt = false;                  // when the search gives up, ask Z3
  uint32_t smt_effort = 20'000'000;  // in Z3's own steps
  // What reads must keep where no witness has every writer. A witness of same_value is as good as
  // one of same_writer where values are all that threads see of each other.
  ReadRules reads = {};
};

class Judge {
 public:
  // `trace` is normalized and must outlive the judge.
  explicit Judge(const trace::Trace& trace, JudgeOptions options = {})
      : facts_(trace), options_(std::move(options)) {}
  // Of an excerpt of a longer trace: never says "impossible". Reads keep their writers.
  explicit Judge(const Excerpt& excerpt, JudgeOptions options = {})
      : facts_(excerpt), options_(std::move(options)) {}

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
  // replayed. `goal` is the one it is a witness of, `reads` what it keeps.
  Reordering minimized(Goal goal, Reordering witness,
                       trace::ReadDemand reads = trace::ReadDemand::same_writer) const;

  const TraceFacts& facts() const { return facts_; }
  // The facts with the rules of a demand: what a witness with this demand is checked against.
  const TraceFacts& facts(trace::ReadDemand reads) const;

 private:
  class Questions;

  TraceFacts facts_;
  JudgeOptions options_;
  // Made when a goal is first out of reach: most traces need them never.
  mutable std::once_flag weaker_made_;
  mutable std::unique_ptr<TraceFacts> weaker_;
};

// For a single question; the witness is minimized.
Judgement judge(const trace::Trace& trace, const Goal& goal, const JudgeOptions& options = {});
Judgement judge_race(const trace::Trace& trace, Position first, Position second,
                     const JudgeOptions& options = {});

}  // namespace foretell::judge
