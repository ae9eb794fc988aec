// SPDX-License-Identifier: Apache-2.0

// The determinism of one recorded run: every read and the final state (NONDET, definition 1).
//
// The run is deterministic for its events if every read, and every implicit read after the end,
// sees the same write in every schedule. Two ways to decide it: exactly (exact/read_views.h), and
// as the paper does (witness_graph/witness_graph.h). Locations that only one thread accesses
// are not in the paper's traces and have no witnesses.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/determinism/exact/read_views.h"
#include "analysis/determinism/witness_graph/witness_graph.h"

namespace foretell::analysis {

struct DeterminismOptions {
  enum class Mode : uint8_t { exact, paper };
  Mode mode = Mode::exact;
  // Paper: also how many choices there were, for its table.
  bool choices = false;
  bool reads = true;
  bool final_state = true;
  // Which reads, by event, and which locations at the end are asked about.
  std::function<bool(const trace::Event&)> is_wanted = [](const trace::Event&) { return true; };
  std::function<bool(LocationId)> is_wanted_at_end = [](LocationId) { return true; };
  judge::JudgeOptions judge = {.search_steps = 20'000};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* stop = nullptr;  // ends like a deadline when it becomes true
  std::function<void(std::string_view phase, double fraction)> progress = [](auto, auto) {};
};

// Of the paper's three orders of a triplet.
class WitnessOrders {
 public:
  static constexpr WitnessOrder kAll[] = {WitnessOrder::read_first, WitnessOrder::challenger_last,
                                          WitnessOrder::without_writer};

  void add(WitnessOrder order) { bits_ |= bit(order); }
  void add(WitnessOrders others) { bits_ |= others.bits_; }
  bool contains(WitnessOrder order) const { return (bits_ & bit(order)) != 0; }
  bool empty() const { return bits_ == 0; }

 private:
  static constexpr uint8_t bit(WitnessOrder order) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(order));
  }
  uint8_t bits_ = 0;
};

// A write that a read can see instead of its own.
struct OtherWrite {
  judge::Position writer = judge::kNoPosition;  // none: the value before all writes
  judge::JudgeOutcome outcome = judge::JudgeOutcome::gave_up;
  WitnessOrders orders;  // paper: those that are feasible

  // What is known of the same write from another order.
  void add(const OtherWrite& same) {
    if (same.outcome == judge::JudgeOutcome::witness) outcome = judge::JudgeOutcome::witness;
    orders.add(same.orders);
  }
};

struct ReadOutcome {
  judge::Position read = judge::kNoPosition;  // none: the final read
  LocationId location{};
  judge::Position recorded = judge::kNoPosition;
  std::vector<OtherWrite> others;  // at least one
  // Each of them wrote the value that was read anyway.
  bool is_harmless = false;
};

struct DeterminismResult {
  std::vector<ReadOutcome> reads;  // in trace order, the final ones last
  uint64_t examined = 0;           // reads
  uint64_t examined_at_end = 0;    // locations
  uint64_t not_examined = 0;       // because the time was over, or they are ambiguous
  ViewCounts views;                // exact
  WitnessCounts witnesses;         // paper
  WitnessCounts choices;           // paper: the same once more, with the choices, if asked for
  uint64_t not_counted = 0;        // reads and locations that are not in it
  double seconds = 0;              // of the decisions, CPU time
  double counting_seconds = 0;     // of the choices

  bool is_deterministic() const { return reads.empty() && not_examined == 0; }
};

// By location: whether more than one thread accesses it.
std::vector<bool> shared_locations(const trace::Trace& trace);

DeterminismResult examine_determinism(const trace::Trace& trace, const DeterminismOptions& options);

}  // namespace foretell::analysis
