// SPDX-License-Identifier: Apache-2.0

// foretell explain FINDING: what is behind it, in prose.

#include <filesystem>

#include "base/output.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/finding_names.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "finding/json_reader.h"
#include "pipeline/driver.h"
#include "report/explain.h"
#include "report/fingerprint.h"
#include "report/source.h"

namespace foretell::cli {
namespace {

struct ExplainCommand {
  std::string finding;
  std::string run_path;
  std::string trace_path;
  std::string format;
  std::string analyses = "default";

  Result<void> run() const;
  Result<std::unique_ptr<trace::TraceReader>> open_trace() const;
  Result<report::Explanation> from_run() const;
  Result<report::Explanation> from_trace() const;
};

Result<report::Explanation> ExplainCommand::from_run() const {
  FORETELL_TRY(directory, launch::RunDirectory::open_for(run_path, finding));
  report::Explanation it;
  FORETELL_TRY(found, finding::read_finding(directory.findings(), finding));
  it.finding = std::move(found);
  if (it.finding.witness) {
    FORETELL_TRY(schedule, read_schedule(directory.schedule(finding)));
    it.finding.schedule = std::move(schedule);
  }
  return it;
}

Result<std::unique_ptr<trace::TraceReader>> ExplainCommand::open_trace() const {
  if (!trace_path.empty()) return TraceInput(trace_path, format).open();
  FORETELL_TRY(directory, launch::RunDirectory::open_for(run_path, finding));
  return launch::RunTrace(directory).open();
}

Result<report::Explanation> ExplainCommand::from_trace() const {
  FORETELL_TRY(selected, analysis::select_analyses(analyses));
  FORETELL_TRY(reader, open_trace());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  Progress progress;
  pipeline::DriverOptions options;
  options.analyses = selected;
  options.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  FORETELL_TRY(result, analyze(std::move(stream), options));
  report::add_fingerprints(result);
  name_trace_findings(trace_path, result);
  std::string known;
  for (const auto* list : {&result.findings, &result.dismissed}) {
    for (const finding::Finding& f : *list) {
      if (f.id == finding) return report::Explanation{f, {}, {}, {}};
      known += (known.empty() ? "it has " : ", ") + f.id;
    }
  }
  return std::unexpected(
      Diagnostic{fmt::format("there is no finding '{}' in {}", finding, trace_path), ""}.with_note(
          known.empty() ? "it has no findings" : known));
}

Result<void> ExplainCommand::run() const {
  if (!run_path.empty() && !trace_path.empty()) {
    return usage_error("--run and --trace cannot be combined");
  }
  FORETELL_TRY(it, trace_path.empty() ? from_run() : from_trace());

  FORETELL_TRY(reader, open_trace());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  stream.keep(trace::kInMemoryEvents);  // every analysis that is asked sees all events
  if (it.finding.as<finding::RaceFinding>() != nullptr) {
    FORETELL_TRY(all, analysis::select_analyses("all"));
    std::erase_if(all, [](const analysis::AnalysisEntry* a) {
      return a->kind != finding::FindingKind::race;
    });
    FORETELL_TRY(opinions, pipeline::opinions_on(stream, it.finding.events[0].index,
                                                 it.finding.events[1].index, all));
    it.opinions = std::move(opinions);
  } else {
    FORETELL_TRY(context, pipeline::context_of(stream, it.finding));
    it.context = std::move(context);
  }
  it.approximations = report::approximations_of(stream.tables().facts);
  std::error_code ignored;  // a directory that is gone shortens nothing
  const std::string here = std::filesystem::current_path(ignored).string();
  report::shorten_paths(it.finding, here);
  for (pipeline::EventOrder& order : it.context.orders) {
    report::shorten_paths(order.first, here);
    report::shorten_paths(order.second, here);
    for (finding::OrderEdge& edge : order.order.path) {
      report::shorten_paths(edge.from, here);
      report::shorten_paths(edge.to, here);
    }
  }
  return write_text("-", printable_lines(explain_text(it)));
}

}  // namespace

void add_explain(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ExplainCommand>();
  CLI::App* command = app.add_subcommand("explain", "Explain a finding");
  command->add_option("finding", state->finding, "Its name, like race-1")->required();
  command->add_option("--run", state->run_path, "Folder of the run (default: .foretell/latest)");
  command->add_option("--trace", state->trace_path,
                      "A trace instead of a run: findings are named as 'foretell analyze' does");
  command->add_option("--input-format", state->format,
                      "Format of the trace instead of detecting it: " + format_names());
  command->add_option("--analysis", state->analyses,
                      "With --trace: the analyses the finding came from");
  command->footer("Example: foretell explain race-1 --trace=examples/bank.tiddle");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
