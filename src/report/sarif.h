// SPDX-License-Identifier: Apache-2.0

// SARIF 2.1.0, the OASIS standard that code hosts and editors read.
//
// One result per finding. Level: error = confirmed, warning = predicted, note = possible. A result
// has one codeFlow with a threadFlow for each thread of the interleaving; `executionOrder` is the
// step of the whole interleaving, and two locations with the same one happen at once (that is how
// the standard reads it), so racing accesses share a number, as do the last waits of a deadlock.
// docs/sarif.md has the mapping key by key.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

// What GitHub takes: it refuses files with more results, shows no more flow locations than these,
// and refuses files over 10 MB after gzip. The bytes here are before gzip, which makes reports ten
// times smaller or more.
struct SarifLimits {
  size_t results = 25'000;
  size_t flow_locations = 1'000;   // in a result
  size_t flow_bytes = 40'000'000;  // of all code flows together
};

struct SarifOptions {
  std::string version;    // of Foretell
  std::string directory;  // files below it are named as seen from there
  SarifLimits limits = {};
};

// What the limits left out is said in the file itself, as a notification, and in `left_out`.
std::string to_sarif(const finding::AnalysisResult& result, const SarifOptions& options,
                     std::vector<Diagnostic>& left_out);

}  // namespace foretell::report
