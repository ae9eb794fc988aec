// SPDX-License-Identifier: Apache-2.0

// foretell determinism TRACE: what every read of a recorded run could have returned.

#include <algorithm>
#include <filesystem>

#include "base/output.h"
#include "base/printable.h"
#include "base/split.h"
#include "cli/analysis_options.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "launch/run_directory.h"
#include "report/determinism_json.h"
#include "report/determinism_table.h"
#include "report/determinism_text.h"
#include "trace/open.h"
#include "trace/stream.h"

namespace foretell::cli {
namespace {

struct DeterminismCommand {
  std::vector<std::string> traces;
  std::string input_format;
  bool paper = false;
  bool table = false;
  bool final_state = false;
  bool harmless = false;
  std::string variables, threads, sites;
  std::string budget;
  std::string format = "text";
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  // What one format makes of the results.
  struct Output {
    report::DeterminismSummary summary;
    std::string text;
    std::optional<report::DeterminismJson> json;
  };

  Result<ExitCode> run() const;
  void add_text(Output& output, const std::string& path, const trace::Trace& trace,
                const analysis::DeterminismResult& result) const;
  std::string finish(Output& output) const;
  Result<trace::Trace> load(const std::string& path) const;
  analysis::DeterminismOptions::Mode mode() const {
    return paper || table ? analysis::DeterminismOptions::Mode::paper
                          : analysis::DeterminismOptions::Mode::exact;
  }
  static std::string here();
  analysis::DeterminismOptions options(const trace::Trace& trace) const;
};

// A trace file, or the folder of a recorded run.
Result<trace::Trace> DeterminismCommand::load(const std::string& path) const {
  TraceInput input{path, input_format};
  if (std::filesystem::is_directory(path)) {
    FORETELL_TRY(directory, launch::RunDirectory::open(path));
    input.path = directory.trace();
  }
  FORETELL_TRY(reader, input.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  return stream.load();
}

// "a,b": whether one of them is part of `name`; an empty list allows everything.
bool is_named(const std::string& list, std::string_view name) {
  if (list.empty()) return true;
  return std::ranges::any_of(split(list, ','), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

analysis::DeterminismOptions DeterminismCommand::options(const trace::Trace& trace) const {
  analysis::DeterminismOptions options;
  options.mode = mode();
  options.choices = table;
  options.reads = !final_state;
  const bool some_reads = !threads.empty() || !sites.empty();
  options.final_state = final_state || !some_reads;
  auto name_of = [&trace](LocationId id) { return trace.location_name(id); };
  options.is_wanted = [this, &trace, name_of](const trace::Event& e) {
    const trace::TraceTables& tables = trace.tables;
    const bool here =
        sites.empty() || (e.site != kNoSite && is_named(sites, tables.site_name(e.site)));
    if (!here) return false;
    if (!threads.empty()) {
      const auto wanted = split(threads, ',');
      if (std::ranges::find(wanted, tables.threads[e.thread]) == wanted.end()) return false;
    }
    if (variables.empty()) return true;
    const bool by_expression =
        e.site != kNoSite && is_named(variables, tables.strings[tables.sites[e.site].expression]);
    return by_expression || is_named(variables, name_of(e.location()));
  };
  options.is_wanted_at_end = [this, name_of](LocationId id) {
    return is_named(variables, name_of(id));
  };
  return options;
}

std::string DeterminismCommand::here() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

void DeterminismCommand::add_text(Output& output, const std::string& path,
                                  const trace::Trace& trace,
                                  const analysis::DeterminismResult& result) const {
  if (!table) {
    output.text += report::determinism_text(trace, result, {path, harmless, here(), final_state});
    return;
  }
  output.text +=
      report::determinism_table_row(std::filesystem::path(path).stem().string(), trace, result);
  if (result.not_examined > 0) {
    output.text += fmt::format("  ({}: {} reads and locations were not examined)\n",
                               Interruptible::flag() ? "interrupted" : "the budget was used up",
                               result.not_examined);
  } else if (result.not_counted > 0) {
    output.text += fmt::format(
        "  (the budget was used up: cycles and choices of {} reads and locations were not "
        "counted)\n",
        result.not_counted);
  }
}

std::string DeterminismCommand::finish(Output& output) const {
  if (output.json) {
    if (table) output.json->add(output.summary);
    return output.json->text();
  }
  return printable_lines(table ? output.text + '\n' + output.summary.text() : output.text);
}

Result<ExitCode> DeterminismCommand::run() const {
  std::optional<std::chrono::nanoseconds> time;
  if (!budget.empty()) {
    FORETELL_TRY(parsed, parse_time(budget));
    time = parsed;
  }
  if (table && final_state) return usage_error("--table and --final-state cannot be combined");
  std::vector<std::string> paths = traces;
  if (paths.empty()) {
    FORETELL_TRY(directory, launch::RunDirectory::open());
    paths.push_back(directory.path());
  }
  Output output;
  if (table) output.text = report::determinism_table_head();
  if (format == "json") output.json.emplace(mode(), table);
  bool deterministic = true;
  Progress progress;
  const Interruptible keeping_what_was_found;
  const std::atomic<bool>& interrupted = Interruptible::flag();
  size_t begun = 0;
  for (const std::string& path : paths) {
    if (interrupted) break;
    ++begun;
    progress.update("read", -1);
    FORETELL_TRY(trace, load(path));
    progress.update("order the events", -1);
    analysis::DeterminismOptions asked = options(trace);
    if (time) asked.deadline = std::chrono::steady_clock::now() + *time;
    asked.stop = &interrupted;
    asked.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
    const analysis::DeterminismResult result = examine_determinism(trace, asked);
    progress.clear();
    deterministic =
        deterministic && std::ranges::all_of(result.reads, &analysis::ReadOutcome::is_harmless);
    output.summary.add(result);
    if (output.json) {
      output.json->add(path, trace, result, here());
    } else {
      add_text(output, path, trace, result);
    }
  }
  if (auto written = write_text("-", finish(output)); !written) {
    return std::unexpected(std::move(written).error());
  }
  if (interrupted) {
    std::fflush(stdout);
    std::fputs(
        fmt::format(
            "warning: interrupted: results are incomplete{}\n",
            begun < paths.size() ? fmt::format(", of {} of {} traces", begun, paths.size()) : "")
            .c_str(),
        stderr);
  }
  if (!deterministic && !table) return static_cast<ExitCode>(findings_exit_code);
  return interrupted ? ExitCode::interrupted : ExitCode::clean;
}

}  // namespace

void add_determinism(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<DeterminismCommand>();
  CLI::App* command = app.add_subcommand(
      "determinism", "Show which values every read of a run could have returned");
  command->add_option("TRACE", state->traces,
                      "Trace files or folders of runs (default: the last run)");
  command->add_option("--input-format", state->input_format,
                      "Format of the traces (default: detected)");
  command->add_flag("--paper", state->paper,
                    "Decide as the paper does, with witness and choice graphs");
  command->add_flag("--table", state->table,
                    "Print the paper's table A1, a row for each trace, and its table I, which\n"
                    "adds them up (--paper)");
  command->add_option("--format", state->format, "What to print: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--final-state", state->final_state,
                    "Examine only the values of locations at the end");
  command->add_flag("--harmless", state->harmless,
                    "Also show reads that can return the same value from another write");
  command->add_option("--vars", state->variables,
                      "Only locations whose names contain one of these, like a,b");
  command->add_option("--threads", state->threads, "Only reads of these threads, like T1,T2");
  command->add_option("--sites", state->sites,
                      "Only reads whose position contains one of these, like a.cc:12,b.cc");
  command->add_option("--budget", state->budget,
                      "Stop after this time, like 30s; the output says what was not examined");
  command
      ->add_option("--exitcode", state->findings_exit_code,
                   "Exit code when the run is not deterministic")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Exits with 66 if a read or a final value could have been different.\n"
      "Example: foretell determinism examples/bank.tiddle --vars=balance");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli
