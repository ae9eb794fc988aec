#include "cli/report_options.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/output.h"
#include "base/split.h"
#include "cli/command.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace foretell::cli {
namespace {

std::optional<ReportTarget::Kind> kind_of(std::string_view name) {
  using enum ReportTarget::Kind;
  if (name == "text") return text;
  if (name == "json") return json;
  if (name == "html") return html;
  return std::nullopt;
}

}  // namespace

void ReportOptions::add_to(CLI::App& command) {
  command.add_option("--format", formats,
                     "Reports to write: text, json, html, each with :FILE\n(- is standard output)");
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
    const auto kind = kind_of(name);
    if (!kind) {
      return usage_error("unknown report format '{}'; known are text, json and html", name);
    }
    if (kind == ReportTarget::Kind::html && colon == std::string_view::npos) {
      return usage_error("--format=html needs a file name: --format=html:report.html");
    }
    if (path.empty()) return usage_error("--format={} needs a file name after the colon", item);
    if (!paths.insert(path).second) {
      return usage_error("two reports would be written to {}", path == "-" ? "standard output"
                                                               : path == kStandardError
                                                                   ? "standard error"
                                                                   : path);
    }
    targets.push_back({*kind, path});
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

Result<std::string> html_page(const AnalysisResult& result, const ReportedTrace& trace,
                              const std::string& finding, uint64_t whole_events) {
  std::error_code ignored;  // a directory that is gone shortens nothing
  HtmlOptions options{.version = FORETELL_VERSION,
                      .directory = std::filesystem::current_path(ignored).string(),
                      .finding = finding,
                      .facts = trace.facts};
  if (whole_events != 0) options.limits.whole = whole_events;
  std::error_code error;
  const auto recorded_at = std::filesystem::last_write_time(trace.path, error);
  if (!error) options.recorded_at = recorded_at;
  FORETELL_TRY(reader, trace.open());
  FORETELL_TRY(stream, TraceStream::open(std::move(reader)));
  return to_html(result, std::move(stream), options);
}

Result<std::string> ReportOptions::render(const AnalysisResult& result, const ReportTarget& target,
                                          const ReportedTrace& trace) const {
  switch (target.kind) {
    case ReportTarget::Kind::text: {
      std::error_code ignored;  // a directory that is gone shortens nothing
      return to_text(result, {.colour = use_colour(target),
                              .possible = possible,
                              .dismissed = dismissed,
                              .stats = stats,
                              .directory = std::filesystem::current_path(ignored).string()});
    }
    case ReportTarget::Kind::json:
      return to_json(result, {.stats = stats});
    case ReportTarget::Kind::html:
      return html_page(result, trace);
  }
  return "";
}

Result<void> ReportOptions::write(const AnalysisResult& result,
                                  const std::vector<ReportTarget>& targets,
                                  const ReportedTrace& trace) const {
  bool text_shows_warnings = false;
  for (const ReportTarget& target : targets) {
    const bool on_terminal = target.path == "-" || target.path == kStandardError;
    text_shows_warnings |= target.kind == ReportTarget::Kind::text && on_terminal;
    FORETELL_TRY(text, render(result, target, trace));
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
