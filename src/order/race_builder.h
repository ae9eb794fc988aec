// The judge of races: can these two accesses of the trace happen side by side?
//
// From cheap to dear, until one step answers:
//   needs        what every witness contains (order/needs.h); a contradiction is a proof of "no";
//   recorded     the needed events in recorded order: settles most races;
//   saturation   orders every witness has (order/saturation.h); a cycle is a proof of "no";
//                otherwise the needed events once more, keeping these orders;
//   search       trying (order/search.h): first only the order of the last needed events, then of
//                more of them, then among all events. For traces of a few events it is never cut
//                short, so the answer there is exact.
// No witness contains an ambiguous read (trace/event.h), and nothing is refuted because of one:
// what needs one is given up. Every witness has passed check_race_witness before it is returned.
#pragma once

#include <cstdint>
#include <string>

#include "order/trace_facts.h"

namespace foretell {

enum class JudgeOutcome : uint8_t { witness, impossible, gave_up };
enum class JudgeStep : uint8_t { needs, recorded, saturation, search };

struct Judgement {
  JudgeOutcome outcome;
  JudgeStep step;             // which one answered
  std::string reason;         // one sentence
  Interleaving witness = {};  // ends with the two accesses
};

struct JudgeOptions {
  uint64_t search_steps = 200'000;  // events executed while trying
  size_t exact_up_to = 16;          // traces of so many events are searched to the end
};

class Judge {
 public:
  // `trace` is normalised and must outlive the judge.
  explicit Judge(const Trace& trace, JudgeOptions options = {})
      : facts_(trace), options_(options) {}

  Judgement race(Position first, Position second) const;
  const TraceFacts& facts() const { return facts_; }

 private:
  TraceFacts facts_;
  JudgeOptions options_;
};

// For a single question.
Judgement judge_race(const Trace& trace, Position first, Position second,
                     const JudgeOptions& options = {});

}  // namespace foretell
