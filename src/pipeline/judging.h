// SPDX-License-Identifier: Apache-2.0

// Judging: every merged proposal in front of the judge, with the whole trace in memory or, if it is
// too long for that, with the stretch of it that the proposal is about (judge/excerpt.h).
//
// The proposals are independent of each other and are judged by several threads; what comes of each
// is the same whatever their number.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/ruling.h"
#include "trace/stream.h"

namespace foretell::pipeline {

using ProgressFunction = std::function<void(std::string_view phase, double fraction)>;

struct JudgingOptions {
  judge::JudgeOptions judge = {};
  unsigned jobs = 0;  // threads; 0: as many as there are processors
  // Of a trace that is too long: how far apart the events of a proposal may be.
  uint64_t excerpt_events = uint64_t{1} << 22;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* stop = nullptr;  // someone wants it to end; may be set by a signal
  ProgressFunction progress = [](auto, auto) {};

  bool is_stopped() const { return stop != nullptr && *stop; }
  bool is_over() const {
    return is_stopped() || (deadline && std::chrono::steady_clock::now() >= *deadline);
  }
};

// Every ruling that says `witness` then has a checked one, as steps of the input. What the deadline
// left is not examined.
void judge_in_memory(const trace::Trace& trace, std::vector<Ruling>& rulings,
                     const JudgingOptions& options);

// The same, one stretch of the trace at a time. Also shows the events to the order watches of the
// rulings. What is about events that are too far apart, or needs to know how the trace goes on,
// stays without a witness.
Result<void> judge_excerpts(trace::TraceStream& stream, std::vector<Ruling>& rulings,
                            const JudgingOptions& options);

// Judges one candidate of a ruling. `weak_orders`: the trace has atomics with weak memory orders.
void judge_candidate(const judge::Judge& judge, const finding::Proposal& candidate,
                     bool weak_orders, Ruling& ruling);

// Of races with a witness: how the recorded run ordered the accesses; of what was refuted: what
// orders the first two events in every schedule. It is found out by showing them the events.
void watch_order(std::vector<Ruling>& rulings);
void watch_order(std::span<Ruling* const> rulings, size_t& watched);  // `watched` so far
void show_events(std::vector<Ruling>& rulings, std::span<const trace::Event> events);

// Passes the normalized events by, a batch at a time.
Result<void> for_each_batch(trace::TraceStream& stream, std::string_view phase,
                            const ProgressFunction& progress,
                            const std::function<bool(std::span<const trace::Event>)>& handle);

}  // namespace foretell::pipeline
