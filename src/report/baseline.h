// SPDX-License-Identifier: Apache-2.0

// A baseline: the findings a project already knows, so that only new ones fail.
//
// A text file, one finding a line, sorted so that merges are small:
//     FINGERPRINT STATE KIND PROGRAM TESTS TEXT
// STATE is `known` or `fixed`. What is found and known does not fail. What is known and no longer
// found where it was is fixed; `foretell baseline` writes that down, and if it comes back it is a
// regression. PROGRAM is the file name without folders: the run of one program says nothing of the
// findings of others. TESTS are those of `foretell test` that have shown it, `test` or `test#case`
// with commas between them, `-` if it was another command: it is fixed only if all of them ran to
// their end without it. Version 1 of the file had no TESTS. docs/baseline.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "finding/result.h"

namespace foretell::report {

class Baseline {
 public:
  struct Counts {
    size_t fresh = 0, known = 0, fixed = 0, regressions = 0;
  };

  static Result<Baseline> read(const std::string& path);
  static Result<Baseline> parse(std::string_view text, const std::string& name);

  // Sets the state of each finding, and lists what is fixed and what could not be seen.
  void apply(finding::AnalysisResult& result) const;

  // Takes the findings of a run in. Those that are suppressed or only possible stay out.
  Counts update(const finding::AnalysisResult& result);

  std::string to_text() const;
  size_t known() const;

 private:
  struct Row {
    bool is_fixed = false;
    finding::FindingKind kind = finding::FindingKind::race;
    std::string program;
    std::set<std::string> tests;  // as they stand in the file
    std::string text;
  };
  std::map<std::string, Row> rows_;  // by fingerprint
};

}  // namespace foretell::report
