// SPDX-License-Identifier: Apache-2.0

// foretell baseline FILE: write down which findings are known, so that only new ones fail.

#include <filesystem>

#include "base/output.h"
#include "cli/command.h"
#include "finding/json_reader.h"
#include "launch/run_directory.h"
#include "report/baseline.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

struct BaselineCommand {
  std::string file = "foretell.baseline";
  std::string run_path;
  std::vector<std::string> reports;

  Result<void> run() const;
  Result<std::vector<std::string>> sources() const;
};

// The JSON reports to take findings from.
Result<std::vector<std::string>> BaselineCommand::sources() const {
  if (!reports.empty()) return reports;
  if (const auto folder = launch::RunDirectory::test_run(run_path)) {
    return std::vector{*folder + "/findings.json"};
  }
  FORETELL_TRY(directory, launch::RunDirectory::open(run_path));
  if (!fs::exists(directory.findings())) {
    return std::unexpected(
        Diagnostic{fmt::format("the run in {} was not analyzed", directory.path()), ""}.with_note(
            "'foretell run -- PROGRAM' records and analyzes"));
  }
  return std::vector{directory.findings()};
}

Result<void> BaselineCommand::run() const {
  FORETELL_TRY(paths, sources());
  report::Baseline baseline;
  const bool exists = fs::exists(file);
  if (exists) {
    FORETELL_TRY(old, report::Baseline::read(file));
    baseline = std::move(old);
  }
  report::Baseline::Counts all;
  for (const std::string& path : paths) {
    FORETELL_TRY(result, finding::read_findings(path));
    const report::Baseline::Counts counts = baseline.update(result);
    all.fresh += counts.fresh;
    all.known += counts.known;
    all.fixed += counts.fixed;
    all.regressions += counts.regressions;
  }
  if (auto done = write_text(file, baseline.to_text()); !done) return done;
  return write_text(
      "-", fmt::format("{} {}: {} new, {} known before, {} fixed, {} back again; {} known now\n",
                       file, exists ? "updated" : "created", all.fresh, all.known, all.fixed,
                       all.regressions, baseline.known()));
}

}  // namespace

void add_baseline(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<BaselineCommand>();
  CLI::App* command =
      app.add_subcommand("baseline", "Record which findings are known, so that only new ones fail");
  command->add_option("FILE", state->file, "The baseline to create or update")
      ->capture_default_str();
  auto* run = command->add_option("--run", state->run_path,
                                  "Folder of the run to add (default: .foretell/latest)");
  command
      ->add_option("--report", state->reports,
                   "JSON reports to add instead (--format=json:FILE); may be given\n"
                   "more than once")
      ->excludes(run);
  command->footer(
      "A finding in the file that its program no longer has becomes 'fixed'. If it comes back, it\n"
      "is a regression. Use it with 'foretell run --baseline=FILE'; keep it in the repository.\n"
      "Example: foretell run -- ./program; foretell baseline foretell.baseline");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
