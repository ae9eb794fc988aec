// SPDX-License-Identifier: Apache-2.0

#include "cli/report_options.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/output.h"
#include "base/split.h"
#include "cli/command.h"
#include "finding/json_writer.h"
#include "report/github.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"

namespace foretell::cli {
namespace {

struct FormatName {
  std::string_view name;
  ReportTarget::Kind kind;
};

constexpr FormatName kFormats[] = {
    {"text", ReportTarget::Kind::text},   {"json", ReportTarget::Kind::json},
    {"sarif", ReportTarget::Kind::sarif}, {"github", ReportTarget::Kind::github},
    {"junit", ReportTarget::Kind::junit}, {"perfetto", ReportTarget::Kind::perfetto},
    {"html", ReportTarget::Kind::html},
};

std::string known_formats() {
  std::string names;
  for (const FormatName& format : kFormats) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return names;
}

// The terminal a report goes to, if it goes to one.
std::optional<int> terminal_of(const ReportTarget& target) {
  if (target.path == "-" && isatty(STDOUT_FILENO) == 1) return STDOUT_FILENO;
  if (target.path == kStandardError && isatty(STDERR_FILENO) == 1) return STDERR_FILENO;
  return {};
}

}  // namespace

void ReportOptions::add_to(CLI::App& command) {
  command.add_option("--format", formats,
                     "Reports to write: " + known_formats() +
                         ";\neach with :FILE (- is standard output), several with commas");
  command.add_flag("--possible", possible,
                   "Also show findings without a witness (JSON has them always)");
  command.add_flag("--explain-dismissed", dismissed, "Also show what the judge refuted, and why");
  command.add_flag("--stats", stats, "Show time per phase and how often each rule fired");
  command.add_option("--color", color, "Color: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command
      .add_option("--columns", columns,
                  "Width of the text report (default: the terminal's, 80 in\na pipe or file)")
      ->check(CLI::Range(60u, 1000u));
  command
      .add_option("--charset", charset,
                  "Characters of the text report: auto, utf8 or ascii (auto:\n"
                  "UTF-8 on a terminal with a UTF-8 locale)")
      ->check(CLI::IsMember({"auto", "utf8", "ascii"}));
}

Result<std::vector<ReportTarget>> ReportOptions::targets(const std::string& unnamed) const {
  std::vector<ReportTarget> targets;
  std::set<std::string> paths;
  for (std::string_view item : split(formats, ',')) {
    const size_t colon = item.find(':');
    const std::string_view name = item.substr(0, colon);
    const std::string path(colon == std::string_view::npos ? unnamed : item.substr(colon + 1));
    const auto* format = std::ranges::find(kFormats, name, &FormatName::name);
    if (format == std::end(kFormats)) {
      return usage_error("unknown report format '{}'; the known formats are {}", name,
                         known_formats());
    }
    if (format->kind == ReportTarget::Kind::html && colon == std::string_view::npos) {
      return usage_error("--format=html needs a file name: --format=html:report.html");
    }
    if (path.empty()) return usage_error("--format={} needs a file name after the colon", item);
    // Commands to GitHub are lines that stand anywhere in a job's output.
    const bool may_share =
        format->kind == ReportTarget::Kind::github && colon == std::string_view::npos;
    if (!may_share && !paths.insert(path).second) {
      return usage_error("two reports would be written to {}", path == "-" ? "standard output"
                                                               : path == kStandardError
                                                                   ? "standard error"
                                                                   : path);
    }
    targets.push_back({format->kind, path});
  }
  return targets;
}

bool ReportOptions::use_color(const ReportTarget& target) const {
  if (color != "auto") return color == "always";
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != 0) return false;
  return terminal_of(target).has_value();
}

// By the variables that decide on a locale's characters, the first that is set.
bool ReportOptions::use_utf8(const ReportTarget& target) const {
  if (charset != "auto") return charset == "utf8";
  if (!terminal_of(target)) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    const std::string_view locale = value;
    return locale.find("UTF-8") != std::string_view::npos ||
           locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

size_t ReportOptions::width(const ReportTarget& target) const {
  constexpr size_t kUsual = 80, kWidest = 160;
  if (columns != 0) return columns;
  const auto terminal = terminal_of(target);
  winsize size{};
  if (!terminal || ioctl(*terminal, TIOCGWINSZ, &size) != 0) return kUsual;
  return std::clamp<size_t>(size.ws_col, kUsual, kWidest);
}

Result<std::string> ReportOptions::render(const finding::AnalysisResult& result,
                                          const ReportTarget& target, const ReportContext& context,
                                          std::vector<Diagnostic>& left_out) const {
  switch (target.kind) {
    case ReportTarget::Kind::text:
      return report::to_text(result, {.color = use_color(target),
                                      .possible = possible,
                                      .dismissed = dismissed,
                                      .stats = stats,
                                      .columns = width(target),
                                      .utf8 = use_utf8(target),
                                      .directory = working_directory()});
    case ReportTarget::Kind::json:
      return to_json(result, {.stats = stats});
    case ReportTarget::Kind::sarif:
      return report::to_sarif(
          shown(result), {.version = FORETELL_VERSION, .directory = working_directory()}, left_out);
    case ReportTarget::Kind::github:
      return report::to_github(result, {.possible = possible, .directory = working_directory()});
    case ReportTarget::Kind::junit:
      if (!context.suites.empty()) return to_junit(context.suites);
      return report::to_junit({{result.trace.name, {report::junit_case(result, context.fail_on)}}});
    case ReportTarget::Kind::html:
    case ReportTarget::Kind::perfetto:
      break;  // written by themselves, they may be several files
  }
  return "";
}

finding::AnalysisResult ReportOptions::shown(const finding::AnalysisResult& result) const {
  finding::AnalysisResult shown = result;
  if (!possible) {
    std::erase_if(shown.findings, [](const finding::Finding& f) {
      return f.verdict == finding::Verdict::possible;
    });
  }
  return shown;
}

std::vector<ReportedTrace> ReportOptions::shown(std::vector<ReportedTrace> traces) const {
  for (ReportedTrace& trace : traces) {
    if (trace.result) trace.result = shown(*trace.result);
  }
  return traces;
}

Result<void> ReportOptions::write(const finding::AnalysisResult& result,
                                  const std::vector<ReportTarget>& targets,
                                  const ReportContext& context) const {
  bool text_shows_warnings = false;
  std::vector<Diagnostic> left_out;
  for (const ReportTarget& target : targets) {
    const bool on_terminal = target.path == "-" || target.path == kStandardError;
    text_shows_warnings |= target.kind == ReportTarget::Kind::text && on_terminal;
    if (target.shows_events()) {
      const bool html = target.kind == ReportTarget::Kind::html;
      auto done = html ? write_html(shown(result), shown(context.traces), target.path)
                       : write_perfetto(result, context.traces, target.path, left_out);
      if (!done) return done;
      continue;
    }
    FORETELL_TRY(text, render(result, target, context, left_out));
    if (target.path == kStandardError) {
      std::fflush(stdout);
      std::fputs(text.c_str(), stderr);
    } else if (auto done = write_text(target.path, text); !done) {
      return done;
    }
  }
  if (!text_shows_warnings) {
    for (const Diagnostic& warning : result.warnings) {
      std::fputs(warning.to_text("warning").c_str(), stderr);
    }
    for (const Diagnostic& note : result.notes) std::fputs(note.to_text("note").c_str(), stderr);
  }
  for (const Diagnostic& warning : left_out) {
    std::fputs(warning.to_text("warning").c_str(), stderr);
  }
  return {};
}

}  // namespace foretell::cli
