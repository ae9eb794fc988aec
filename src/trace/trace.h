// SPDX-License-Identifier: Apache-2.0

// Trace: a whole trace in memory, for small inputs: the judge's windows, Tiddle, tests.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/cell_map.h"
#include "trace/event.h"
#include "trace/tables.h"

namespace foretell::trace {

struct Trace {
  TraceTables tables;
  std::vector<Event> events;
  CellTable cells;  // what the locations of normalized events mean; empty in a raw trace
  std::vector<Event>
      folded;  // raw events of a normalized trace that re-entrance made void, in order

  // The name of the location of a normalized access.
  std::string location_name(LocationId location) const {
    return tables.location_name(cells[location].range);
  }
};

// Checks the rules of a well-formed run and brings a raw trace into the normalized form
// (trace/normalizer.h).
Result<Trace> normalize(Trace raw);

}  // namespace foretell::trace
