// SPDX-License-Identifier: Apache-2.0

// ExploredRun: one run of the program as exploring sees it, and what else could have happened in it.
//
// A *target* says how far threads have come, by histories: it stands for all runs that contain these
// events. Of a run that contains a target, every other target next to it is one read that returns
// another write, and what that needs: docs/explore.md has the definition and the proof.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "explore/arrangement.h"
#include "explore/histories.h"
#include "launch/many_runs.h"

namespace foretell::explore {

// For each thread that has to come somewhere, the last event it has to have.
struct Target {
  std::vector<History> ends;  // ascending
  History key = 0;            // a hash of them

  static Target of(std::vector<History> ends);
  bool operator==(const Target&) const = default;
};

// A target next to another one.
struct Alternative {
  Target target;
  // How a run gets there; none: some run that is known contains it.
  std::optional<schedule::Schedule> schedule;
  // The read's place and what it would return, to tell new ones from the usual.
  uint64_t sort = 0;
  bool same_value = false;  // it would return what it did, from another write
};

// Asked by those who look for alternatives.
class Known {
 public:
  virtual ~Known() = default;
  // Nobody need look at it again.
  virtual bool is_tried(const Target& target) const = 0;
  // Whether a run contains it, other than the one that is being looked at.
  virtual bool is_contained(const Target& target) const = 0;
};

struct Neighbors {
  std::vector<Alternative> alternatives;
  uint64_t impossible = 0, gave_up = 0;
};

class ExploredRun {
 public:
  static Result<std::unique_ptr<ExploredRun>> of(const launch::OneRun& run);
  // `trace` is normalized.
  static std::unique_ptr<ExploredRun> of(trace::Trace trace, schedule::ThreadColumn steps) {
    return std::unique_ptr<ExploredRun>(new ExploredRun(std::move(trace), std::move(steps)));
  }

  const Histories& histories() const { return histories_; }
  const judge::TraceFacts& facts() const { return facts_; }
  bool contains(const Target& target) const;

  // The targets next to one that this run contains; not all of them if `is_over` becomes true.
  Neighbors next_to(const Target& target, const Known& known,
                    const std::function<bool()>& is_over = {});

  // Steps of a kind that exploring does not vary, in words; ascending, each once.
  std::vector<std::string> not_varied() const;

 private:
  ExploredRun(trace::Trace trace, schedule::ThreadColumn steps);
  class Search;
  void find_clocks();
  // How many events of the thread have to happen for `p` to happen, without itself.
  uint32_t needed(judge::Position p, size_t thread) const {
    return clocks_[p * facts_.thread_count() + thread];
  }

  trace::Trace trace_;
  schedule::ThreadColumn steps_;
  judge::TraceFacts facts_;
  Histories histories_;
  std::vector<uint32_t> clocks_;  // by position, then thread
  absl::flat_hash_map<LockId, std::vector<judge::Position>> releases_;

  std::mutex mutex_;                         // of what follows, which is only found once
  absl::flat_hash_set<History> impossible_;  // keys of targets that this run cannot reach
};

}  // namespace foretell::explore
