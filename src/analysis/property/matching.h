// SPDX-License-Identifier: Apache-2.0

// Matching: which steps of a trace are which events of a property, and for which bindings.
//
// Monitors are parametric (Chen and Rosu, "Parametric trace slicing and monitoring", TACAS 2009):
// for each combination of parameter values there is a slice of the run, the steps that take these
// values or none. If some event takes all parameters, the slices are those of the combinations that
// such events had; otherwise those of all combinations of values that belong to each other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/property/consistent_runs.h"
#include "property_language/property.h"
#include "trace/trace.h"

namespace foretell::analysis {

struct Occurrence {
  judge::Position at = 0;
  size_t event = 0;                                      // of the property
  std::vector<std::optional<std::string>> binding = {};  // by parameter
};

struct Slice {
  std::vector<std::string> values = {};  // by parameter
  std::vector<std::pair<judge::Position, property_language::EventSet>> steps = {};

  // "q = 5, t = T1"; empty without parameters.
  std::string text(const property_language::Property& property) const;
};

struct Matched {
  std::vector<Slice> slices;
  std::vector<size_t> count;  // by event: how many steps were it
  size_t left_out = 0;        // slices beyond kMostSlices
};
inline constexpr size_t kMostSlices = 100'000;

Matched match_events(const trace::Trace& trace, const property_language::Property& property);

// Names of events that no step of this recording can ever be, because the program was compiled
// without hooks for them; for each what to do.
std::vector<std::string> missing_hooks(const trace::TraceTables& tables,
                                       const property_language::Property& property);

// Of a hook for a function: "call Pool::take", "return Pool::take".
std::string hook_name(const property_language::EventPattern& event);

}  // namespace foretell::analysis
