// SPDX-License-Identifier: Apache-2.0

// Properties: checked on the recorded run and on all runs it could have been (--property).
//
// For each binding of a property the generator (analysis/property/consistent_runs.h) looks for a run
// that violates it. What it finds is not believed: the judge's checker has to accept the run as a
// correct reordering, and the monitor has to fail once more on the run as it is shown. Bindings
// whose steps are all of one thread need no generation: their order is that of the recorded run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "finding/result.h"
#include "judge/judge.h"
#include "pipeline/judging.h"
#include "property_language/property.h"
#include "trace/reader.h"

namespace foretell::pipeline {

struct PropertyOptions {
  std::vector<std::shared_ptr<const property_language::Specification>> specifications = {};
  bool compare = false;  // also with the recorded order of synchronization
  bool trials = false;   // also with reads that return anything, for the real program to decide
};

struct PropertyViolation {
  finding::PropertyFinding details;
  std::vector<EventIndex> events;  // the last one that the monitor saw, then those before it
  finding::Witness witness;
  trace::ReadDemand reads = trace::ReadDemand::same_writer;  // what the run's reads kept
  uint64_t occurrences = 1;  // bindings with a violation at the same place
};

struct PropertyResults {
  std::vector<PropertyViolation> violations;
  std::vector<PropertyViolation> trials;  // runs that need not exist
  std::vector<finding::CheckedProperty> checked;
  std::vector<Diagnostic> warnings;
};

// Fails if a property asks for events that the recorded program has no hooks for.
Result<PropertyResults> check_properties(const trace::Trace& trace, const PropertyOptions& options,
                                         const JudgingOptions& judging);

// The bindings for which a run violates the first property of the specification; "" stands for a
// property without parameters.
Result<std::vector<std::string>> violated_bindings(trace::TraceReader& run,
                                                   const std::string& specification);

}  // namespace foretell::pipeline
