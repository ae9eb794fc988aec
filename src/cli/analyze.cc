// foretell analyze TRACE: which races the recorded run could have had.

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "analysis/driver.h"
#include "base/output.h"
#include "base/split.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "report/json.h"
#include "report/text.h"

namespace foretell::cli {
namespace {

struct ReportTarget {
  enum class Kind { text, json } kind;
  std::string path;
};

struct AnalyzeCommand {
  TraceInput input;
  std::string analyses = "default";
  std::string formats = "text";
  std::string colour = "auto";
  bool every_pair = false;
  bool first_race = false;
  bool all_races = false;
  bool possible = false;
  bool dismissed = false;
  bool stats = false;
  bool strict = false;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  ExitCode run() const;
  Result<ExitCode> analyze_and_report() const;
  Result<std::vector<ReportTarget>> targets() const;
  std::string render(const AnalysisResult& result, const ReportTarget& target) const;
  bool use_colour(const ReportTarget& target) const;
};

Result<std::vector<ReportTarget>> AnalyzeCommand::targets() const {
  std::vector<ReportTarget> targets;
  std::set<std::string> paths;
  for (std::string_view item : split(formats, ',')) {
    const size_t colon = item.find(':');
    const std::string_view name = item.substr(0, colon);
    const std::string path(colon == std::string_view::npos ? "-" : item.substr(colon + 1));
    if (name != "text" && name != "json") {
      return usage_error("unknown report format '{}'; known are text and json", name);
    }
    if (path.empty()) return usage_error("--format={} needs a file name after the colon", item);
    if (!paths.insert(path).second) {
      return usage_error("two reports would be written to {}",
                         path == "-" ? std::string("standard output") : path);
    }
    using enum ReportTarget::Kind;
    targets.push_back({name == "text" ? text : json, path});
  }
  return targets;
}

bool AnalyzeCommand::use_colour(const ReportTarget& target) const {
  if (colour != "auto") return colour == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  return target.path == "-" && isatty(STDOUT_FILENO) == 1 &&
         (no_colour == nullptr || *no_colour == 0);
}

std::string AnalyzeCommand::render(const AnalysisResult& result, const ReportTarget& target) const {
  switch (target.kind) {
    case ReportTarget::Kind::text:
      return to_text(result, {.colour = use_colour(target),
                              .possible = possible,
                              .dismissed = dismissed,
                              .stats = stats});
    case ReportTarget::Kind::json:
      return to_json(result, {.stats = stats});
  }
  return "";
}

Result<ExitCode> AnalyzeCommand::analyze_and_report() const {
  FORETELL_TRY(report_targets, targets());
  FORETELL_TRY(selected, select_analyses(analyses));
  FORETELL_TRY(reader, input.open());
  FORETELL_TRY(stream, TraceStream::open(std::move(reader)));

  Progress progress;
  DriverOptions options;
  options.analyses = selected;
  options.analysis.order_after_race = first_race;
  options.every_pair = every_pair;
  options.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  FORETELL_TRY(result, analyze(std::move(stream), options));
  progress.clear();
  result.trace.name = input.path == "-" ? "<stdin>" : input.path;

  bool text_shows_warnings = false;
  for (const ReportTarget& target : report_targets) {
    text_shows_warnings |= target.kind == ReportTarget::Kind::text && target.path == "-";
    if (auto done = write_text(target.path, render(result, target)); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  bool cut_short = false;
  for (const Diagnostic& warning : result.warnings) {
    cut_short |= warning.exit_code == ExitCode::cut_short;
    if (!text_shows_warnings) std::fputs(warning.to_text("warning").c_str(), stderr);
  }
  if (strict && cut_short) return ExitCode::cut_short;
  const size_t real = result.count(Verdict::confirmed) + result.count(Verdict::predicted);
  return real > 0 ? static_cast<ExitCode>(findings_exit_code) : ExitCode::clean;
}

ExitCode AnalyzeCommand::run() const {
  auto outcome = analyze_and_report();
  return outcome ? *outcome : report(outcome.error());
}

}  // namespace

void add_analyze(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<AnalyzeCommand>();
  CLI::App* command = app.add_subcommand("analyze", "Find the races a recorded run could have had");
  state->input.add_to(*command);
  command->add_option("--analysis", state->analyses,
                      "Analyses by name, separated by commas, or default, or all\n"
                      "('foretell list analyses' names them)");
  command->add_option("--format", state->formats,
                      "Reports to write: text, json, each with :FILE\n(- is standard output)");
  command->add_flag("--all", state->every_pair,
                    "Report every racing pair of events, not one per pair of sites");
  auto* first = command->add_flag("--first-race", state->first_race,
                                  "Treat a racing pair as ordered from there on, so that every\n"
                                  "reported race is a first race");
  command->add_flag("--all-races", state->all_races, "Report races after races too (the default)")
      ->excludes(first);
  command->add_flag("--possible", state->possible, "Also show findings without a witness");
  command->add_flag("--explain-dismissed", state->dismissed,
                    "Also show what the judge refuted, and why");
  command->add_flag("--stats", state->stats, "Show time per phase and how often each rule fired");
  command->add_flag("--strict", state->strict, "Exit with 69 if the trace was cut short");
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->add_option("--color", state->colour, "Colour: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command->footer("Example: foretell analyze examples/bank.tiddle --format=text,json:bank.json");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace foretell::cli
