// SPDX-License-Identifier: Apache-2.0

// The oracle: what is true of a small trace, by trying every correct reordering.
//
// It decides the four questions of docs/semantics.md ("What findings mean") exactly. Everything
// clever in Foretell is compared with it on thousands of random traces; its worth is that it shares
// no code with what it judges and is slow enough to be obvious.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explorer.h"
#include "semantics.h"

namespace foretell::oracle {

using Pair = std::pair<Position, Position>;  // the earlier position first

struct Truth {
  std::set<Pair> races;
  std::set<Pair> meetings;
  // Each deadlock: the events at which its threads are stuck, by ascending position.
  std::set<std::vector<Position>> deadlocks;
  // By read: the writes it can see other than its own; nothing stands for the initial value.
  std::map<Position, std::set<std::optional<Position>>> other_writers;
  // The `beg` events of complete blocks that can be violated.
  std::set<Position> violable_blocks;
};

class Oracle {
 public:
  // `trace` is normalized and outlives this.
  explicit Oracle(const trace::Trace& trace,
                  trace::ReadDemand demand = trace::ReadDemand::same_writer)
      : semantics_(trace, demand) {}

  const Semantics& semantics() const { return semantics_; }

  // All but violable_blocks, in one exploration.
  Truth schedules() const;
  std::set<Pair> races() const { return schedules().races; }
  // Without those of destructions, which analyses of races do not propose.
  std::set<Pair> races_of_memory() const;
  std::set<Position> violable_blocks() const;
  // The `beg` events of all blocks that another thread can come into (docs/semantics.md).
  std::set<Position> interruptible_blocks() const;
  Truth everything() const;

  // A reordering followed by the two accesses of a race, or nothing if they do not race.
  std::optional<Interleaving> race_witness(Position first, Position second) const;

 private:
  Semantics semantics_;
};

// The questions asked of a single state; each is one paragraph of docs/semantics.md.
bool races_in(const Semantics& semantics, const State& state, Position a, Position b);
bool meets_in(const Semantics& semantics, const State& state, Position a, Position b);
std::vector<std::vector<Position>> deadlocks_in(const Semantics& semantics, const State& state);
// Whether every thread that exists is stuck or has no events left.
bool nobody_can_go_on(const Semantics& semantics, const State& state);
std::optional<std::optional<Position>> other_writer_in(const Semantics& semantics,
                                                       const State& state, Position read);

// "races: 0-3 1-4", one line per kind of finding that there is; for messages.
std::string to_text(const Truth& truth);
std::string to_text(const std::set<Pair>& races);

}  // namespace foretell::oracle
