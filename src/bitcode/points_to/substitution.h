// SPDX-License-Identifier: Apache-2.0

// Makes one node of those that will have the same set, before solving (Rountev, Chandra, "Off-line
// variable substitution for scaling points-to analysis", PLDI 2000; here with labels that stand for
// the sets a node is the union of, as in Hardekopf, Lin, "Exploiting pointer and location
// equivalence to optimize pointer analysis", SAS 2007).
//
// A closed node is the union of what its constraints say now. Two with the same constraints are
// one; one that has none is no pointer at all, like most numbers of a program.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <vector>

#include "bitcode/points_to/solver.h"

namespace foretell::bitcode {

class Substitution {
 public:
  explicit Substitution(Solver& solver) : solver_(solver) {}

  void run();

 private:
  enum class Label : uint32_t {};
  static constexpr Label kEmpty{0};

  struct Source {
    uint32_t node;
    Shift by;
  };

  void collect_sources();
  void label_from(uint32_t root);
  Label label_of(uint32_t node);
  Label shifted(Label from, Shift by);

  Solver& solver_;
  std::vector<std::vector<Source>> sources_;  // of closed nodes
  enum class State : uint8_t { unseen, open, done };
  std::vector<State> states_;
  std::vector<Label> labels_;
  uint32_t next_ = 1;
  absl::flat_hash_map<uint32_t, Label> of_target_;
  absl::flat_hash_map<std::tuple<Label, int64_t, uint64_t>, Label> of_shift_;
  std::map<std::vector<Label>, Label> of_union_;
};

}  // namespace foretell::bitcode
