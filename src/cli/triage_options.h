// SPDX-License-Identifier: Apache-2.0

// What becomes of findings before anyone is told: suppressed, known, failing. The options that run
// and analyze share.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "finding/result.h"
#include "report/baseline.h"
#include "report/suppressions.h"

namespace foretell::cli {

// The files the options name, read before anything is run: a misspelt one must not cost a run.
struct Triage {
  report::Suppressions suppressions;
  std::optional<report::Baseline> baseline;
  finding::Verdict fail_on = finding::Verdict::predicted;

  // Fingerprints, suppressions and states of what the analyses found.
  void apply(finding::AnalysisResult& result) const;
  // Whether any finding is left that must not be there.
  bool fails(const finding::AnalysisResult& result) const;
};

struct TriageOptions {
  std::vector<std::string> suppression_files;
  std::string baseline_file;
  std::string fail_on = "predicted";
  bool generate = false;

  void add_to(CLI::App& command);
  Result<Triage> load() const;
  // --gen-suppressions: lines for what was found, on standard output.
  Result<void> print_suppressions(const finding::AnalysisResult& result,
                                  const Triage& triage) const;
};

}  // namespace foretell::cli
