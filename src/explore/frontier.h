// SPDX-License-Identifier: Apache-2.0

// Frontier: which targets are known, which runs contain them, and which target comes next.
//
// A target is looked at once. If a known run contains it, that run stands for it and the program is
// not run again; so no two runs do the same. Of the others, those come first whose read would
// return what it was seldom asked to return at that place, and among these those that were found
// first: breadth first.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "explore/explored_run.h"

namespace foretell::explore {

class Frontier : public Known {
 public:
  struct Task {
    Target target;
    std::optional<schedule::Schedule> schedule;  // how to get there
    ExploredRun* run = nullptr;                  // a run that contains it: the program need not run
  };

  // A run that contains other targets than those it was made for. Returns false if one is known that
  // did the same; then it is not kept.
  bool add(std::unique_ptr<ExploredRun> run);
  // What is to be looked at; alternatives that are known already are left out.
  void add(std::vector<Alternative> alternatives);
  // The first of all: whatever the program does.
  void add_root() { push(Alternative{.target = Target::of({})}); }

  // Nothing if nothing is left.
  std::optional<Task> next();
  size_t left() const { return queue_.size(); }
  size_t runs() const { return runs_.size(); }

  bool is_tried(const Target& target) const override { return tried_.contains(target.key); }
  bool is_contained(const Target& target) const override { return run_with(target) != nullptr; }
  bool has_behavior(History whole) const { return behaviors_.contains(whole); }

 private:
  // How often its kind was there before, and its number.
  using Rank = std::tuple<uint32_t, uint64_t>;

  void push(Alternative alternative);
  ExploredRun* run_with(const Target& target) const;

  std::vector<std::unique_ptr<ExploredRun>> runs_;
  absl::flat_hash_map<History, std::vector<uint32_t>> runs_with_;  // ascending
  absl::flat_hash_set<History> behaviors_;
  absl::flat_hash_set<History> tried_;
  absl::flat_hash_map<uint64_t, uint32_t> seen_;  // by Alternative::sort
  std::map<Rank, Task> queue_;
  uint64_t number_ = 0;
};

}  // namespace foretell::explore
