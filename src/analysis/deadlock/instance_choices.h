// SPDX-License-Identifier: Apache-2.0

// InstanceChoices: which instances of the nodes of a cycle are tried together.
//
// A node stands for several events of its thread. All choices of one event of each node are too
// many in a cycle of many threads, so the likely ones come first: the earliest ones, then those
// that stand close together in the trace; then all others, until there were enough.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace foretell::analysis {

class InstanceChoices {
 public:
  using Choice = std::vector<size_t>;

  static constexpr size_t kMostChoices = 4096;  // of one cycle

  // `instances`: by node, the indices of its events, ascending; none is empty.
  explicit InstanceChoices(std::vector<std::vector<EventIndex>> instances)
      : instances_(std::move(instances)) {}

  // Calls `visit` with each choice, once, until it returns false. False if some were left out
  // because there are too many.
  template <class Visit>
  bool for_each(Visit visit, size_t most = kMostChoices) {
    auto try_it = [&](const Choice& choice) {
      return !seen_.insert(choice).second || visit(choice);
    };
    Choice choice(instances_.size());
    if (!try_it(choice)) return true;
    for (const std::vector<EventIndex>& of_node : instances_) {
      for (EventIndex when : of_node) {
        if (seen_.size() >= most) return false;
        if (!try_it(at_or_after(when)) || !try_it(before(when))) return true;
      }
    }
    while (next(choice)) {
      if (seen_.size() >= most) return false;
      if (!try_it(choice)) return true;
    }
    return true;
  }

 private:
  Choice at_or_after(EventIndex when) const {
    Choice choice;
    for (const std::vector<EventIndex>& all : instances_) {
      const auto first = std::ranges::lower_bound(all, when) - all.begin();
      choice.push_back(std::min(static_cast<size_t>(first), all.size() - 1));
    }
    return choice;
  }

  Choice before(EventIndex when) const {
    Choice choice;
    for (const std::vector<EventIndex>& all : instances_) {
      const auto after = std::ranges::upper_bound(all, when) - all.begin();
      choice.push_back(after == 0 ? 0 : static_cast<size_t>(after) - 1);
    }
    return choice;
  }

  // Counts on; false after the last one.
  bool next(Choice& choice) const {
    for (size_t i = 0; i < choice.size(); ++i) {
      if (++choice[i] < instances_[i].size()) return true;
      choice[i] = 0;
    }
    return false;
  }

  std::vector<std::vector<EventIndex>> instances_;
  absl::flat_hash_set<Choice> seen_;
};

// Cycles of the same sites are one finding, of which the judge looks at few choices: how many of
// the next one are worth proposing.
class ChoiceQuota {
 public:
  static constexpr uint32_t kMostCycles = 32;  // at the same places
  static constexpr size_t kMostChoices = 64;   // of each of them

  size_t of_next(std::vector<SiteId> sites) {
    if (std::ranges::find(sites, kNoSite) != sites.end()) return InstanceChoices::kMostChoices;
    std::ranges::sort(sites);
    return ++cycles_[std::move(sites)] <= kMostCycles ? kMostChoices : 0;
  }

 private:
  absl::flat_hash_map<std::vector<SiteId>, uint32_t> cycles_;
};

}  // namespace foretell::analysis
