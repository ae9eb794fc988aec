// SPDX-License-Identifier: Apache-2.0

// The class of sync-preserving reorderings, docs/semantics.md "Sync-preserving", as a restriction
// of the enumeration of all correct ones.
//
// Written from that text, one function per rule, and without the analysis.
#pragma once

#include <set>
#include <vector>

#include "oracle.h"

namespace foretell::oracle {

class SyncPreservingClass {
 public:
  explicit SyncPreservingClass(const Semantics& semantics);

  // Whether sync-preserving reorderings go on from `state` with the enabled event `p`.
  bool allows(const State& state, Position p) const;

 private:
  bool keeps_sections(const State& state, Position p) const;
  bool keeps_holder(const State& state, Position p) const;
  bool keeps_condition(const State& state, Position p) const;
  bool keeps_waiters(const State& state, Position p) const;
  std::set<Position> unnotified(const State& state, ConditionId condition) const;
  void find_holder(const State& state, Position p);

  const Semantics& semantics_;
  // By event of the trace.
  std::vector<std::optional<Position>> holder_;  // failed try: begin of the section that it met
  std::vector<std::set<Position>> met_;          // notify: the waits it found un-notified
};

// The deadlocks of acquires and wakes of notified waits that sync-preserving reorderings end in.
std::set<std::vector<Position>> sync_preserving_deadlocks(const Semantics& semantics);

// The races that sync-preserving reorderings show.
std::set<Pair> sync_preserving_races(const Semantics& semantics);

}  // namespace foretell::oracle
