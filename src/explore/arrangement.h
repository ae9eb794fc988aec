// SPDX-License-Identifier: Apache-2.0

// Arrangement: can these events happen, with every read returning the write it is said to return?
//
// The events are those of a run up to a limit in each thread, and one step more: a read that returns
// other writes than in the run, or an acquire that comes after another section. Of every lock it
// is known which section comes after which; of writes it is not, except as reads tell. So the
// search runs the events and decides only between writes. A write has to wait while somebody has
// still to read what it would overwrite, which leaves hardly anything to decide.
//
// This is the problem of verifying sequential consistency with a known reads-from map (Gibbons,
// Korach 1997): NP-hard in general, so the search gives up after a number of steps.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::explore {

// By position: the release (or wait) that ended the section of the lock before the one that begins
// there; none for the first one, and for all other events.
std::vector<judge::Position> lock_predecessors(const judge::TraceFacts& facts);

// The step that is done in another way than in the run.
struct Deviation {
  judge::Position first = judge::kNoPosition;     // its first piece
  std::vector<judge::Position> writers;           // of a read: for each piece
  judge::Position released = judge::kNoPosition;  // of an acquire: the section before
};

enum class ArrangementOutcome : uint8_t { found, impossible, gave_up };

class Arrangement {
 public:
  // `limits`: by thread, how many events happen; the deviation comes after the last of its thread.
  Arrangement(const judge::TraceFacts& facts, std::span<const judge::Position> predecessors,
              std::vector<uint32_t> limits, Deviation deviation);

  ArrangementOutcome find();
  // The first pieces of the events in their order.
  const std::vector<judge::Position>& order() const { return state_.order; }

 private:
  struct State {
    std::vector<uint32_t> done;  // by thread
    std::vector<judge::Position> order;
    std::vector<judge::Position> last_write;  // by location
    std::vector<uint32_t> frees;              // by location
    absl::flat_hash_map<LockId, judge::Position> last_release;
    absl::flat_hash_map<LockId, uint32_t> held;
    // Reads that have still to return the write, by its position; of initial values by location.
    std::vector<uint32_t> wanted, wanted_initial;
  };

  judge::Position writer_of(judge::Position p) const;
  judge::Position released_before(judge::Position p) const;
  judge::Position next_of(size_t thread) const;
  judge::Position end_of(judge::Position first) const;
  bool happened(judge::Position p) const;
  bool is_enabled(judge::Position first) const;
  bool is_choice(judge::Position first) const;
  bool would_lose_a_value(judge::Position first) const;
  void execute(judge::Position first);
  void run_forced();
  void want(judge::Position p, int by);

  static constexpr uint64_t kMostSteps = 300'000;

  const judge::TraceFacts& facts_;
  std::span<const judge::Position> predecessors_;
  std::vector<uint32_t> limits_;
  const Deviation deviation_;
  std::vector<uint32_t> users_;  // by location: a thread and whether there are others
  State state_;
  uint64_t steps_ = 0;
  size_t all_ = 0;
};

}  // namespace foretell::explore
