// SPDX-License-Identifier: Apache-2.0

#include "cli/analysis_options.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/input_file.h"
#include "base/split.h"

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
    return usage_error("'{}' is not a duration; write it like 500ms, 30s, 2m or 1h", text);
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(number * seconds * 1e9));
}

Result<pipeline::AtomicChoice> AnalysisChoice::atomic_functions() const {
  pipeline::AtomicChoice choice;
  auto add = [&](std::string_view name) {
    name = name.substr(0, name.find('#'));
    name.remove_prefix(std::min(name.find_first_not_of(" \t\r"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t\r") + 1);
    if (name == "functions") choice.all_functions = true;
    if (!name.empty() && name != "functions") choice.functions.emplace_back(name);
  };
  for (std::string_view name : split(atomic, ',')) add(name);
  if (!atomic_file.empty()) {
    FORETELL_TRY(file, InputFile::open(atomic_file));
    for (std::string_view line : split(file.bytes(), '\n')) add(line);
  }
  return choice;
}

void AnalysisChoice::add_to(CLI::App& command, const Texts& texts) {
  command.add_option("--analysis", analyses,
                     "Names of analyses, separated by commas, or default, or all\n"
                     "('foretell list analyses' lists them)");
  command.add_option("--budget", budget, texts.budget);
  command.add_option("--jobs", jobs, texts.jobs)->check(CLI::Range(1u, 1024u));
  command.add_option("--atomic", atomic,
                     "Functions that should be atomic, in addition to declared\nblocks: names "
                     "separated by commas, or 'functions' for all");
  command.add_option("--atomic-file", atomic_file,
                     "A file with such names, one per line; # begins a comment");
  command.add_flag("--infer-atomic", infer_atomic,
                   "List functions that could be declared atomic: treat every\n"
                   "function as atomic and list those that are not violated");
  command.add_flag("--contended", contended,
                   "Leave out accesses of locations that no reordering can contend\n"
                   "for: no verdict changes, long traces take less time and memory\n"
                   "(always done with more events than fit into memory)");
  command
      .add_option("--reads", reads,
                  "What reads keep in a prediction: their value (same-value, where\n"
                  "nothing keeps every write; default) or their write (same-writer)")
      ->check(CLI::IsMember({"same-writer", "same-value"}));
  command.add_flag("--smt", smt, "Let Z3 decide what the judge's own search gives up on");
}

Result<pipeline::DriverOptions> AnalysisChoice::options() const {
  pipeline::DriverOptions options;
  FORETELL_TRY(selected, analysis::select_analyses(analyses));
  options.analyses = selected;
  FORETELL_TRY(functions, atomic_functions());
  options.atomic = std::move(functions);
  options.infer_atomic = infer_atomic;
  if (contended) {
    if (infer_atomic || !atomic.empty() || !atomic_file.empty()) {
      return usage_error(
          "--contended keeps what declared blocks access; it cannot be combined with --atomic, "
          "--atomic-file or --infer-atomic");
    }
    options.contended_only = pipeline::ContendedOnly::always;
  }
  options.jobs = jobs;
  options.judge.smt = smt;
  options.judge.reads.demand = *trace::read_demand_named(reads);
  if (!budget.empty()) {
    FORETELL_TRY(time, parse_time(budget));
    options.budget = time;
  }
  return options;
}

bool is_incomplete(const finding::AnalysisResult& result) {
  return !result.trace.unchecked.empty() ||
         std::ranges::any_of(result.warnings, [](const Diagnostic& warning) {
           return warning.exit_code == ExitCode::cut_short;
         });
}

}  // namespace foretell::cli
