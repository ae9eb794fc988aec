// SPDX-License-Identifier: Apache-2.0

// Suppressions: findings that a team has looked at and does not want to hear of again.
//
// One a line, in ThreadSanitizer's syntax, with the reason after it:
//     race:^Logger::count$  # a statistic, off by one is fine
// The pattern is looked for in the functions, files and variables of the finding's events; `*` is
// any text, `^` and `$` tie it to the beginning and the end. docs/suppressions.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

struct Suppression {
  finding::FindingKind kind = finding::FindingKind::race;
  std::string pattern;
  std::string reason;
  std::string where;  // "suppressions.txt:3"
  std::string text;   // "race:deposit", as written

  bool matches(const finding::Finding& finding) const;
};

class Suppressions {
 public:
  // Adds the lines of a file. Types that only ThreadSanitizer knows are remembered for a note.
  Result<void> read(const std::string& path);
  Result<void> parse(std::string_view text, const std::string& name);

  // Marks what is suppressed, and leaves a note on each line that suppresses nothing.
  void apply(finding::AnalysisResult& result) const;

 private:
  Result<void> parse_line(std::string_view line, std::string where);

  std::vector<Suppression> rows_;
  std::vector<Diagnostic> notes_;
};

// Whether `pattern` is found in `text`.
bool pattern_matches(std::string_view pattern, std::string_view text);

// A line for each finding that is open and at least as certain as `least`; what was found stands
// where the reason goes.
std::string generate_suppressions(const finding::AnalysisResult& result, finding::Verdict least);

}  // namespace foretell::report
