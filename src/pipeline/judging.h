// Judging: decides every merged proposal, with the whole trace in memory or while it is streamed.
//
// In memory the proposals are independent of each other and are judged by several threads. The
// results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/ruling.h"
#include "trace/stream.h"

namespace foretell {

using ProgressFunction = std::function<void(std::string_view phase, double fraction)>;

struct JudgingOptions {
  JudgeOptions judge = {};
  unsigned jobs = 0;  // threads; 0: as many as there are processors
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
void judge_in_memory(const Trace& trace, std::vector<Ruling>& rulings,
                     const JudgingOptions& options);

// The same without the trace, by judge/streaming_judge.h. Also shows the events to the order
// watches of the rulings.
Result<void> judge_streaming(TraceStream& stream, std::vector<Ruling>& rulings,
                             const JudgingOptions& options);

// Of races with a witness: how the recorded run ordered the accesses; of what was refuted: what
// orders the first two events in every schedule. It is found out by showing them the events.
void watch_order(std::vector<Ruling>& rulings);
void show_events(std::vector<Ruling>& rulings, std::span<const Event> events);

// Passes the normalized events by, a batch at a time.
Result<void> for_each_batch(TraceStream& stream, std::string_view phase,
                            const ProgressFunction& progress,
                            const std::function<bool(std::span<const Event>)>& handle);

}  // namespace foretell
