// SPDX-License-Identifier: Apache-2.0

// Histories: when two events of two runs are the same event.
//
// What a thread does next depends on nothing but what it did and read before. So an event is known
// by its *history*: its thread, the events before it there, and for every read among them the
// history of the write that it returned. (Beside reads: what a join, a wake, a taken post or a
// passed barrier waited for, and for an acquire the section of the lock before it.) Two runs that have an event with the same history did the same up to
// there, as far as that event can tell.
//
// A history is a hash of 64 bits. No address, id or time goes in, because they differ from run to
// run: threads are known by who created them as the how manieth, places by their text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::explore {

using History = uint64_t;

// The hash of a and b in this order.
History mixed(History a, History b);

class Histories {
 public:
  Histories() = default;
  explicit Histories(const judge::TraceFacts& facts);

  // The pieces of an access that was split have one history.
  History of(judge::Position p) const { return of_[p]; }
  // Where an event with that history is in this run (its last piece), or none.
  judge::Position at(History history) const {
    const auto it = at_.find(history);
    return it == at_.end() ? judge::kNoPosition : it->second;
  }
  // What the read that begins with the piece `first` would have for a history if its pieces
  // returned these writes.
  History of_read(judge::Position first, std::span<const judge::Position> writers) const;
  // The same of the acquire `p` if the section before it ended with `released`.
  History of_acquire(judge::Position p, judge::Position released) const;
  // By position: the end of the section of the lock before the one that begins there.
  std::span<const judge::Position> lock_predecessors() const { return predecessors_; }
  // The one of the thread before `p`.
  History before(judge::Position p) const;
  // All threads to their ends, in any order.
  History whole() const { return whole_; }

  // What the thread did after a history, as far as its code decides: the kind of the step and its
  // place. The same history is always followed by the same step, unless something steers the
  // program that is no event.
  struct Step {
    History before;
    uint64_t step;
    judge::Position position;
  };
  const std::vector<Step>& steps() const { return steps_; }
  const absl::flat_hash_map<History, judge::Position>& all() const { return at_; }

 private:
  History of_access(judge::Position first, judge::Position end) const;
  History begun(judge::Position p) const;
  uint64_t place_of(judge::Position p);
  History written_by(judge::Position writer) const;

  const judge::TraceFacts* facts_ = nullptr;
  std::vector<History> of_;
  std::vector<judge::Position> predecessors_;
  std::vector<History> threads_;  // names
  absl::flat_hash_map<SiteId, uint64_t> places_;
  absl::flat_hash_map<History, judge::Position> at_;
  std::vector<Step> steps_;
  History whole_ = 0;
};

// The pieces of one access, of which `p` is one: the first, and the one after the last.
std::pair<judge::Position, judge::Position> pieces_of(const judge::TraceFacts& facts,
                                                      judge::Position p);

}  // namespace foretell::explore
