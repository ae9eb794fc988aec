// SPDX-License-Identifier: Apache-2.0

// Consistent cuts and runs (SLICED 3.3 and 3.4): the orders of relevant events that sliced causality
// and lock atomicity allow, level by level.
//
// A cut is a set of relevant events, here how many of each thread. It is consistent if it has
// everything that its events depend upon (a), and of the sections of one lock no more than one in
// part (b). A run is consistent if it leads from one consistent cut to the next by one event.
//
// (b) follows the algorithm of figure 6, not the letter of definitions 9 and 10: by the letter an
// event without locks could not happen while another thread is in a section, because it is in no
// class with it. What excludes each other are sections of the same lock. For this the acquires and
// releases of the locks in question have to be among the relevant events.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/race/sliced/causality.h"
#include "analysis/race/sliced/lock_atomicity.h"

namespace foretell::analysis::sliced {

class ConsistentRuns {
 public:
  using Cut = std::vector<uint32_t>;  // by thread: how many of its relevant events

  ConsistentRuns(std::span<const trace::Event> events, const Causality& causality,
                 const Filter& filter);

  size_t size() const { return relevant_.size(); }  // relevant events
  Cut initial() const { return Cut(threads_.size()); }
  // Definition 9.
  bool is_consistent(const Cut& cut) const;
  // The relevant events, by their places in the events, that can come next (definitions 10 and 11).
  std::vector<size_t> enabled(const Cut& cut) const;
  Cut with(Cut cut, size_t event) const;

  // Figure 6: all consistent cuts with one event, then with two, ...; each once. `visit` hears of a
  // cut and the event that led to it, for every way into it. Returns false if there would be more
  // than `most` cuts in one level.
  using Visit = std::function<void(const Cut& from, size_t event, const Cut& to)>;
  bool for_each_level(size_t most, const Visit& visit) const;

 private:
  bool contains(const Cut& cut, size_t event) const {
    return place_[event] < cut[to_index(events_[event].thread)];
  }

  const std::span<const trace::Event> events_;
  const Causality& causality_;
  std::vector<size_t> relevant_;
  std::vector<std::vector<size_t>> threads_;  // relevant events, by thread
  std::vector<uint32_t> place_;     // by event: how many relevant ones of its thread are before
  std::vector<Sections> sections_;  // by event
};

}  // namespace foretell::analysis::sliced
