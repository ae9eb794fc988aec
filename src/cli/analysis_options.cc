#include "cli/analysis_options.h"

#include <charconv>

namespace foretell::cli {

Result<std::chrono::nanoseconds> parse_time(const std::string& text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(parsed.ptr, text.data() + text.size());
  double seconds = 0;
  if (unit.empty() || unit == "s") {
    seconds = 1;
  } else if (unit == "ms") {
    seconds = 1e-3;
  } else if (unit == "m" || unit == "min") {
    seconds = 60;
  } else if (unit == "h") {
    seconds = 3600;
  }
  constexpr double kLongest = 1e9;  // seconds; fits nanoseconds in 64 bits
  const bool in_range = number > 0 && number * seconds <= kLongest;
  if (parsed.ec != std::errc{} || seconds == 0 || !in_range) {
    return usage_error("'{}' is no time; write it like 500ms, 30s, 2m or 1h", text);
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(number * seconds * 1e9));
}

void AnalysisChoice::add_to(CLI::App& command, const std::string& jobs_text) {
  command.add_option("--analysis", analyses,
                     "Analyses by name, separated by commas, or default, or all\n"
                     "('foretell list analyses' names them)");
  command.add_option("--budget", budget,
                     "Stop analysing and judging after this time, like 30s or 2m;\n"
                     "what was not examined is said");
  command.add_option("--jobs", jobs, jobs_text)->check(CLI::Range(1u, 1024u));
  command.add_flag("--smt", smt, "Let Z3 decide what the judge's own search gives up on");
}

Result<DriverOptions> AnalysisChoice::options() const {
  DriverOptions options;
  FORETELL_TRY(selected, select_analyses(analyses));
  options.analyses = selected;
  options.jobs = jobs;
  options.judge.smt = smt;
  if (!budget.empty()) {
    FORETELL_TRY(time, parse_time(budget));
    options.budget = time;
  }
  return options;
}

}  // namespace foretell::cli
