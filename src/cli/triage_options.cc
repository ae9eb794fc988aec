// SPDX-License-Identifier: Apache-2.0

#include "cli/triage_options.h"

#include <algorithm>

#include "base/output.h"
#include "cli/command.h"
#include "report/fingerprint.h"

namespace foretell::cli {

void TriageOptions::add_to(CLI::App& command) {
  command.add_option("--suppressions", suppression_files,
                     "File of findings to keep quiet about: race:pattern  # reason\n"
                     "(docs/suppressions.md); may be given more than once");
  command.add_flag("--gen-suppressions", generate, "Print a line for such a file for each finding");
  command.add_option("--baseline", baseline_file,
                     "File of known findings ('foretell baseline' makes it): only\n"
                     "new ones and regressions fail");
  command
      .add_option(
          "--fail-on", fail_on,
          "The least certain verdict that fails: confirmed, unordered,\npredicted or possible")
      ->check(CLI::IsMember({"confirmed", "unordered", "predicted", "possible"}));
}

Result<Triage> TriageOptions::load() const {
  Triage triage;
  for (const std::string& path : suppression_files) {
    auto done = triage.suppressions.read(path);
    if (!done) return std::unexpected(std::move(done).error());
  }
  if (!baseline_file.empty()) {
    FORETELL_TRY(baseline, report::Baseline::read(baseline_file));
    triage.baseline = std::move(baseline);
  }
  for (finding::Verdict verdict : {finding::Verdict::confirmed, finding::Verdict::unordered,
                                   finding::Verdict::predicted, finding::Verdict::possible}) {
    if (fail_on == word_of(verdict)) triage.fail_on = verdict;
  }
  return triage;
}

Result<void> TriageOptions::print_suppressions(const finding::AnalysisResult& result,
                                               const Triage& triage) const {
  if (!generate) return {};
  return write_text("-", report::generate_suppressions(result, triage.fail_on));
}

void Triage::apply(finding::AnalysisResult& result) const {
  report::add_fingerprints(result);
  suppressions.apply(result);
  if (baseline) baseline->apply(result);
}

bool Triage::fails(const finding::AnalysisResult& result) const {
  return std::ranges::any_of(result.findings, [&](const finding::Finding& f) {
    return f.is_open() && f.verdict <= fail_on;
  });
}

}  // namespace foretell::cli
