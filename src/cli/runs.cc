// SPDX-License-Identifier: Apache-2.0

// foretell runs: what .foretell holds, and how it becomes less.

#include <algorithm>

#include "base/output.h"
#include "base/printable.h"
#include "cli/command.h"
#include "finding/json_reader.h"
#include "launch/kept_runs.h"
#include "launch/run_directory.h"
#include "test_runs/process.h"

namespace foretell::cli {
namespace {

using launch::KeptRun;

struct Row {
  std::string command, findings;
};

std::string findings_text(const std::string& file) {
  const auto result = finding::read_findings(file);
  if (!result) return "-";  // recorded only
  const auto shown = std::ranges::count_if(result->findings, [](const finding::Finding& f) {
    return f.is_open() && f.verdict <= finding::Verdict::predicted;
  });
  return std::to_string(shown);
}

Row row_of(const KeptRun& run) {
  const std::string folder = ".foretell/" + run.name;
  switch (run.state) {
    case KeptRun::State::unfinished:
      return {"(unfinished)", "-"};
    case KeptRun::State::test: {
      const auto result = finding::read_findings(folder + "/findings.json");
      return {result ? result->trace.name : "(damaged)", findings_text(folder + "/findings.json")};
    }
    case KeptRun::State::run: {
      const auto directory = launch::RunDirectory::open(folder);
      const auto info = directory ? directory->info() : std::unexpected(directory.error());
      return {info ? test_runs::command_text(info->command) : "(damaged)",
              findings_text(folder + "/findings.json")};
    }
  }
  return {};
}

std::string size_text(uint64_t bytes) {
  if (bytes >= 1'000'000'000) return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
  if (bytes >= 1'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{} kB", (bytes + 999) / 1000);
}

Result<void> list_runs() {
  FORETELL_TRY(runs, launch::kept_runs());
  if (runs.empty()) return write_text("-", "there are no runs in .foretell\n");
  std::string out = fmt::format("  {:<20} {:>8} {:>9}  {}\n", "run", "findings", "size", "command");
  uint64_t bytes = 0;
  for (const KeptRun& run : runs) {
    const Row row = row_of(run);
    out += fmt::format("{} {:<20} {:>8} {:>9}  {}\n", run.is_latest ? '*' : ' ', run.name,
                       row.findings, size_text(run.bytes), printable(row.command));
    bytes += run.bytes;
  }
  out += fmt::format("{} run{}, {}; * is the one that other commands take by default\n",
                     runs.size(), runs.size() == 1 ? "" : "s", size_text(bytes));
  return write_text("-", out);
}

struct CleanCommand {
  std::vector<std::string> names;
  uint64_t keep = 1;
  bool unfinished = false;

  Result<void> run() const;
};

// An unfinished run may still be recording, so it goes only if it is asked for.
Result<void> CleanCommand::run() const {
  FORETELL_TRY(runs, launch::kept_runs());
  std::vector<std::string> going = names;
  if (going.empty()) {
    std::vector<std::string> finished;
    for (const KeptRun& run : runs) {
      const bool is_unfinished = run.state == KeptRun::State::unfinished;
      if (!is_unfinished) finished.push_back(run.name);
      if (is_unfinished && unfinished) going.push_back(run.name);
    }
    finished.resize(finished.size() - std::min<size_t>(keep, finished.size()));
    going.insert(going.end(), finished.begin(), finished.end());
  }
  uint64_t bytes = 0;
  for (const std::string& name : going) {
    const auto run = std::ranges::find(runs, name, &KeptRun::name);
    if (run != runs.end()) bytes += run->bytes;
    if (auto done = launch::remove_run(name); !done) return done;
  }
  return write_text("-", fmt::format("removed {} run{}, {}\n", going.size(),
                                     going.size() == 1 ? "" : "s", size_text(bytes)));
}

}  // namespace

void add_runs(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("runs", "List the recorded runs, or remove them");
  command->footer("Example: foretell runs clean --keep=3");
  command->callback([command, &exit_code] {
    if (command->get_subcommands().empty()) exit_code = report(list_runs());
  });

  auto state = std::make_shared<CleanCommand>();
  CLI::App* clean = command->add_subcommand("clean", "Remove recorded runs");
  clean->add_option("RUN", state->names, "Which (default: all but the newest)");
  clean->add_option("--keep", state->keep, "Keep the newest N finished runs");
  clean->add_flag("--unfinished", state->unfinished,
                  "Also remove unfinished ones; do not use it while a run is recorded");
  clean->footer("Example: foretell runs clean --keep=3");
  clean->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
