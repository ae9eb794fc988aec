// SPDX-License-Identifier: Apache-2.0

// Which reports a command writes, and how: the options that run and analyze share.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/trace_reports.h"
#include "finding/result.h"
#include "report/junit.h"

namespace foretell::cli {

struct ReportTarget {
  enum class Kind { text, json, html, sarif, github, junit, perfetto } kind;
  std::string path;  // "-": standard output; kStandardError

  // Such a report reads the trace again.
  bool shows_events() const { return kind == Kind::html || kind == Kind::perfetto; }
};

inline constexpr const char* kStandardError = "/dev/stderr";

// What some reports need besides the result.
struct ReportContext {
  std::vector<ReportedTrace> traces;
  finding::Verdict fail_on = finding::Verdict::predicted;
  // What JUnit lists; empty: one test, which has all findings.
  std::vector<report::JunitSuite> suites = {};
};

struct ReportOptions {
  std::string formats = "text";
  std::string color = "auto";
  std::string charset = "auto";
  size_t columns = 0;  // 0: as wide as the terminal, 80 elsewhere
  bool possible = false;
  bool dismissed = false;
  bool stats = false;

  void add_to(CLI::App& command);

  // `unnamed` is where a format without a file goes.
  Result<std::vector<ReportTarget>> targets(const std::string& unnamed = "-") const;
  Result<void> write(const finding::AnalysisResult& result,
                     const std::vector<ReportTarget>& targets, const ReportContext& context) const;

  // Without what is only suspected, unless that was asked for.
  finding::AnalysisResult shown(const finding::AnalysisResult& result) const;
  std::vector<ReportedTrace> shown(std::vector<ReportedTrace> traces) const;

 private:
  // What a format leaves out is added to `left_out`.
  Result<std::string> render(const finding::AnalysisResult& result, const ReportTarget& target,
                             const ReportContext& context, std::vector<Diagnostic>& left_out) const;
  bool use_color(const ReportTarget& target) const;
  bool use_utf8(const ReportTarget& target) const;
  size_t width(const ReportTarget& target) const;
};

}  // namespace foretell::cli
