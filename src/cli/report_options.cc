#include "cli/report_options.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/output.h"
#include "base/split.h"
#include "cli/command.h"
#include "report/json.h"
#include "report/text.h"

namespace foretell::cli {

void ReportOptions::add_to(CLI::App& command) {
  command.add_option("--format", formats,
                     "Reports to write: text, json, each with :FILE\n(- is standard output)");
  command.add_flag("--possible", possible, "Also show findings without a witness");
  command.add_flag("--explain-dismissed", dismissed, "Also show what the judge refuted, and why");
  command.add_flag("--stats", stats, "Show time per phase and how often each rule fired");
  command.add_option("--color", colour, "Colour: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

Result<std::vector<ReportTarget>> ReportOptions::targets(const std::string& unnamed) const {
  std::vector<ReportTarget> targets;
  std::set<std::string> paths;
  for (std::string_view item : split(formats, ',')) {
    const size_t colon = item.find(':');
    const std::string_view name = item.substr(0, colon);
    const std::string path(colon == std::string_view::npos ? unnamed : item.substr(colon + 1));
    if (name != "text" && name != "json") {
      return usage_error("unknown report format '{}'; known are text and json", name);
    }
    if (path.empty()) return usage_error("--format={} needs a file name after the colon", item);
    if (!paths.insert(path).second) {
      return usage_error("two reports would be written to {}", path == "-" ? "standard output"
                                                               : path == kStandardError
                                                                   ? "standard error"
                                                                   : path);
    }
    using enum ReportTarget::Kind;
    targets.push_back({name == "text" ? text : json, path});
  }
  return targets;
}

bool ReportOptions::use_colour(const ReportTarget& target) const {
  if (colour != "auto") return colour == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != 0) return false;
  if (target.path == "-") return isatty(STDOUT_FILENO) == 1;
  return target.path == kStandardError && isatty(STDERR_FILENO) == 1;
}

std::string ReportOptions::render(const AnalysisResult& result, const ReportTarget& target,
                                  const FindingTests* tests) const {
  switch (target.kind) {
    case ReportTarget::Kind::text: {
      std::error_code ignored;  // a directory that is gone shortens nothing
      return to_text(result, {.colour = use_colour(target),
                              .possible = possible,
                              .dismissed = dismissed,
                              .stats = stats,
                              .tests = tests,
                              .directory = std::filesystem::current_path(ignored).string()});
    }
    case ReportTarget::Kind::json:
      return to_json(result, {.stats = stats, .tests = tests});
  }
  return "";
}

Result<void> ReportOptions::write(const AnalysisResult& result,
                                  const std::vector<ReportTarget>& targets,
                                  const FindingTests* tests) const {
  bool text_shows_warnings = false;
  for (const ReportTarget& target : targets) {
    const bool on_terminal = target.path == "-" || target.path == kStandardError;
    text_shows_warnings |= target.kind == ReportTarget::Kind::text && on_terminal;
    const std::string text = render(result, target, tests);
    if (target.path == kStandardError) {
      std::fflush(stdout);
      std::fputs(text.c_str(), stderr);
    } else if (auto done = write_text(target.path, text); !done) {
      return done;
    }
  }
  if (text_shows_warnings) return {};
  for (const Diagnostic& warning : result.warnings) {
    std::fputs(warning.to_text("warning").c_str(), stderr);
  }
  return {};
}

}  // namespace foretell::cli
