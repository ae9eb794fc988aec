// SPDX-License-Identifier: Apache-2.0

// What a reader must know of the sources that a report quotes: which cannot be read here, and which
// have changed since the program was built.
#pragma once

#include <vector>

#include "finding/result.h"

namespace foretell::report {

// One note a file, for the findings that are shown with their places.
std::vector<Diagnostic> source_notes(const finding::AnalysisResult& result);

}  // namespace foretell::report
