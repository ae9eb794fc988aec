// SPDX-License-Identifier: Apache-2.0

// StatementFacts: what is known of the code behind a trace, for slicing it (SLICED 2.1 to 2.3).
//
// A statement is a site. Tiddle text has such facts as directives (docs/trace-format.md), .ftrace
// files as properties; whoever has the program's facts can add them to any trace. A trace without
// facts about a statement says nothing about it.
#pragma once

#include <vector>

#include "base/ids.h"
#include "trace/location.h"

namespace foretell::trace {

struct StatementFacts {
  SiteId statement = kNoSite;
  // The statements whose reachability depends upon the choice made at this one: its control scope.
  std::vector<SiteId> scope = {};
  // What statements in the scope can write, on whichever way.
  std::vector<Location> changes = {};
  // The statements whose reads this one computes its value from, within one activation.
  std::vector<SiteId> uses = {};
  bool operator==(const StatementFacts&) const = default;
};

}  // namespace foretell::trace
