// Which reports a command writes, and how: the options that run and analyze share.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "analysis/result.h"
#include "report/finding_tests.h"

namespace foretell::cli {

struct ReportTarget {
  enum class Kind { text, json } kind;
  std::string path;  // "-": standard output; kStandardError
};

inline constexpr const char* kStandardError = "/dev/stderr";

struct ReportOptions {
  std::string formats = "text";
  std::string colour = "auto";
  bool possible = false;
  bool dismissed = false;
  bool stats = false;

  void add_to(CLI::App& command);

  // `unnamed` is where a format without a file goes.
  Result<std::vector<ReportTarget>> targets(const std::string& unnamed = "-") const;
  Result<void> write(const AnalysisResult& result, const std::vector<ReportTarget>& targets,
                     const FindingTests* tests = nullptr) const;

 private:
  std::string render(const AnalysisResult& result, const ReportTarget& target,
                     const FindingTests* tests) const;
  bool use_colour(const ReportTarget& target) const;
};

}  // namespace foretell::cli
