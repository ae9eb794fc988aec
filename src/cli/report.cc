// SPDX-License-Identifier: Apache-2.0

// foretell report [FINDING]: the report of a recorded run once more, in any form.

#include <fmt/format.h>

#include <filesystem>

#include "base/output.h"
#include "cli/command.h"
#include "cli/reported_run.h"

namespace foretell::cli {
namespace {

struct ReportCommand {
  std::string finding;
  std::string run_path;
  std::string html;  // "": not wanted, kDefaultFile: wanted without a name
  uint64_t whole_events = 0;
  ReportOptions reports;
  CLI::Option* format = nullptr;

  static constexpr const char* kDefaultFile = "default";

  Result<void> run() const;
  Result<void> write_page(const ReportedRun& run, const ReportOptions& shown) const;
};

Result<void> ReportCommand::write_page(const ReportedRun& run, const ReportOptions& shown) const {
  std::string file = html;
  if (html == kDefaultFile) file = (finding.empty() ? "foretell" : finding) + ".html";
  auto done = write_html(shown.shown(run.result), shown.shown(run.traces), file,
                         {.finding = finding, .whole_events = whole_events});
  if (!done || file == "-") return done;
  if (run.traces.size() != 1) {
    return write_text("-", fmt::format("wrote {} and a page beside it for each of {} processes\n",
                                       file, run.traces.size()));
  }
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  return write_text("-", fmt::format("wrote {} ({:.1f} MB); it opens in any browser and needs "
                                     "nothing else\n",
                                     file, static_cast<double>(size) / 1e6));
}

Result<void> ReportCommand::run() const {
  FORETELL_TRY(targets, reports.targets());
  FORETELL_TRY(run, open_reported_run(run_path, finding));
  ReportOptions shown = reports;
  // Who names a finding wants to see it, whatever its verdict.
  shown.possible |= !finding.empty();
  shown.dismissed |= !finding.empty();
  if (!html.empty()) {
    if (auto done = write_page(run, shown); !done) return done;
    if (format->count() == 0) return {};
  }
  return shown.write(run.result, targets, {.traces = run.traces});
}

}  // namespace

void add_report(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "Print the report of a recorded run again");
  command->add_option("finding", state->finding, "Only this finding, like race-1");
  command->add_option("--run", state->run_path, "Folder of the run (default: .foretell/latest)");
  command->add_flag(fmt::format("--html{{{}}}", ReportCommand::kDefaultFile), state->html,
                    "Write one self-contained HTML file (--html=FILE;\ndefault: foretell.html, or "
                    "the finding's name)");
  command
      ->add_option("--events", state->whole_events,
                   "HTML: longer traces are cut to windows around findings\nand what synchronizes "
                   "(default: 250000)")
      ->check(CLI::PositiveNumber);
  state->reports.add_to(*command);
  state->format = command->get_option("--format");
  command->footer(
      "Exits with 0 even if there are findings.\n"
      "Example: foretell report race-1 --html");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
