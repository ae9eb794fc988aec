// SPDX-License-Identifier: Apache-2.0

// Semantics: docs/semantics.md, row by row, for traces of a few dozen events.
//
// Written from that text alone and without src/judge, so that the two can be compared. Nothing is
// cached that could be looked up in the trace: an event "has happened" if its thread has got past
// it, a lock is held if its holder's events so far say so.
//
// Two reorderings that reach the same State can be followed by exactly the same events, which is
// what makes remembering visited states exact.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "trace/read_demand.h"
#include "trace/trace.h"

namespace foretell::oracle {

// Position of an event in Trace::events.
using Position = uint32_t;
using Interleaving = std::vector<Position>;

struct State {
  std::vector<uint32_t> done;                       // by thread: how many of its events
  std::vector<std::optional<Position>> last_write;  // by location
  std::vector<bool> notified;                       // by thread: its present wait was notified
  // By thread: some notify of its condition, whomever it served, came since its present wait began.
  std::vector<bool> heard;

  auto operator<=>(const State&) const = default;
};

enum class Mode : uint8_t { none, shared, exclusive };

class Semantics {
 public:
  // `trace` is normalized and outlives this. Under `free` every plain read is free.
  explicit Semantics(const trace::Trace& trace,
                     trace::ReadDemand demand = trace::ReadDemand::same_writer);

  const trace::Trace& trace() const { return trace_; }
  const trace::Event& event(Position p) const { return trace_.events[p]; }
  uint32_t size() const { return static_cast<uint32_t>(trace_.events.size()); }
  uint32_t thread_count() const { return static_cast<uint32_t>(threads_.size()); }
  // The events of a thread, in program order.
  const std::vector<Position>& events_of(ThreadId thread) const {
    return threads_[to_index(thread)];
  }

  State initial() const;
  // The next event of a thread, whether enabled or not; nothing at its end.
  std::optional<Position> next(const State& state, ThreadId thread) const;
  bool happened(const State& state, Position p) const;

  // Nothing if `p`, the next event of its thread, is enabled; else why not.
  std::optional<std::string> obstacle(const State& state, Position p) const;
  bool enabled(const State& state, Position p) const { return !obstacle(state, p); }
  State after(const State& state, Position p) const;

  // Nothing if `order` is a correct reordering, else the step that is wrong.
  std::optional<size_t> first_wrong_step(std::span<const Position> order) const;
  // Whether the trace is a correct reordering of itself, as every recorded run is.
  bool is_reordering_of_itself() const;

  // The parts of the table that findings refer to.
  bool thread_exists(const State& state, ThreadId thread) const;
  bool allocated(const State& state, Position access) const;
  // The rule of `free`, where frees among `excused` do not count.
  bool frees_agree(const State& state, Position access, std::span<const Position> excused) const;
  std::optional<Position> writer_in_trace(Position read) const { return writer_[read]; }
  Mode held(const State& state, ThreadId thread, LockId lock) const;
  bool waits(const State& state, ThreadId thread) const;

  // The event that served a wake or down.
  std::optional<Position> server_of(Position p) const { return server_[p]; }

 private:
  std::optional<Position> position_of(EventIndex index) const;
  std::optional<Position> wake_of(Position wait) const;
  std::optional<Position> current_wait(const State& state, ThreadId thread) const;
  bool waits_unnotified(const State& state, ThreadId thread, ConditionId condition) const;
  bool somebody_waits_unnotified(const State& state, ConditionId condition) const;
  bool somebody_holds(const State& state, LockId lock, Mode at_least) const;
  bool all_happened(const State& state, trace::EventKind kind, BarrierId barrier,
                    uint64_t generation) const;

  bool may_return(Position read, std::optional<Position> writer) const;
  std::optional<uint64_t> known_value(Position access, bool read) const;
  bool may_be_address(LocationId location, uint64_t value) const;
  bool same_value(Position read, uint64_t value, Position writer) const;
  std::optional<Position> pointed_to(Position access, uint64_t value) const;
  std::optional<uint64_t> initial_value(LocationId location) const;
  bool is_uncertain(LocationId location) const;
  uint64_t size_of(LocationId location) const { return trace_.cells[location].range.size; }

  std::optional<std::string> access_obstacle(const State& state, Position p) const;
  std::optional<std::string> lock_obstacle(const State& state, Position p) const;
  std::optional<std::string> notify_obstacle(const State& state, Position p) const;
  std::optional<std::string> notify_all_obstacle(const State& state, Position p) const;
  std::optional<std::string> wake_obstacle(const State& state, Position p) const;

  const trace::Trace& trace_;
  const trace::ReadDemand demand_;
  std::vector<std::vector<Position>> threads_;
  std::vector<uint32_t> rank_;                   // by event: how many of its thread come before
  std::vector<std::optional<Position>> server_;  // by event
  std::vector<std::optional<Position>> writer_;  // by event: what a read reads in the trace
  std::vector<bool> found_waiter_;               // by event: a notify that found one in the trace
  std::vector<std::set<Position>>
      found_waits_;  // by event: the waits a notifyall found un-notified
};

}  // namespace foretell::oracle
