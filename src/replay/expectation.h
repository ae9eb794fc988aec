// SPDX-License-Identifier: Apache-2.0

// What a finding says will be seen when its schedule is followed, and whether it was.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell::replay {

// Properties that every program has: it does not crash, and its exit status is 0 if it was when the
// program ran first.
inline constexpr std::string_view kNoCrash = "no crash", kExitStatus = "exit status 0";

// What a replay is held against.
struct Expectation {
  struct Step {
    std::string thread, site;
    std::optional<trace::EventKind> kind = {};  // atomicity only
    auto operator<=>(const Step&) const = default;
  };
  finding::FindingKind kind = finding::FindingKind::race;
  // Races: the last two steps, in their order. Deadlocks: one for each thread of the cycle.
  // Nondeterminism: the last step, a read, and the write it sees, if it is to see one.
  // Atomicity: steps that happen in this order, the last before its thread leaves `block`.
  std::vector<Step> steps;
  std::string block = {};
  bool only_locks = false;  // deadlocks: nobody waits for anything else
  std::string object = {};  // nondeterminism: what is read; property: its name
  // Nondeterminism: what the read returned when recorded, if that is known.
  std::optional<uint64_t> recorded_value = {};
  trace::Misuse misuse{};  // misuse
  // Properties: the specification that the run must violate, and for which binding; empty: any.
  std::string specification = {};
  std::string binding = {};
  bool both_orders = true;  // races: ask whether the second access needs the first
  // The steps as indices of the recorded trace, to explain a divergence. Without them only the
  // runtime's word is known.
  const finding::Witness* witness = nullptr;

  finding::WitnessEnd witness_end() const { return witness_end_of(kind); }
};

// Of a finding with a witness.
Expectation expectation_of(const finding::Finding& finding);

// The last two steps of a replay.
struct LastSteps {
  std::vector<Expectation::Step> steps;
  bool clash = false;  // accesses of two threads to overlapping memory, not both reads or atomic
};

// Steps `number` - 1 and `number` (from 1) of a run, or its last two if `number` is 0; nothing if
// it has fewer.
Result<std::optional<LastSteps>> last_steps(trace::TraceReader& replay, uint64_t number);

// A read and the last write before it to what it reads, if there is one.
struct ReadAndWriter {
  std::vector<Expectation::Step> steps;
  std::string object;  // that is read
  std::optional<uint64_t> value;
};

// Step `number` of a run; nothing if that step is not a read.
Result<std::optional<ReadAndWriter>> read_and_writer(trace::TraceReader& replay, uint64_t number);

// Whether the steps happened in their order, before the thread of the last one left `block`.
Result<bool> happened_in_order(trace::TraceReader& replay,
                               const std::vector<Expectation::Step>& steps, std::string_view block);

// Whether something was misused so in that step.
Result<bool> has_misuse(trace::TraceReader& replay, trace::Misuse how,
                        const Expectation::Step& step);

// How many steps the thread of that name took.
Result<uint64_t> steps_of(trace::TraceReader& replay, std::string_view thread);

}  // namespace foretell::replay
