// SPDX-License-Identifier: Apache-2.0

#include "cli/reported_run.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "cli/command.h"
#include "finding/json_reader.h"
#include "replay/confirm.h"
#include "test_runs/process.h"

namespace foretell::cli {

ReportedTrace reported_trace(const launch::RunDirectory& directory, const launch::RunInfo& info,
                             const launch::RunTrace& trace) {
  return {.path = directory.trace(),
          .open = [trace] { return trace.open(); },
          .facts = {{"command", test_runs::command_text(info.command)},
                    {"ended", info.ended},
                    {"mode", std::string(trace::word_of(info.mode))},
                    {"strategy", info.strategy},
                    {"seed", std::to_string(info.seed)}}};
}

Result<finding::AnalysisResult> read_plainly(const std::string& path) {
  FORETELL_TRY(result, finding::read_findings(path));
  for (finding::Finding& f : result.findings) f.baseline = finding::BaselineState::none;
  return finding::AnalysisResult{.trace = std::move(result.trace),
                                 .findings = std::move(result.findings),
                                 .dismissed = std::move(result.dismissed),
                                 .warnings = std::move(result.warnings)};
}

finding::AnalysisResult found_in_first(finding::AnalysisResult result) {
  std::erase_if(result.findings, [](const finding::Finding& f) { return !f.seen_in.empty(); });
  return result;
}

namespace {

// The traces of those runs below `folder` that `result` names, each with what it has of it.
Result<void> add_named_traces(const std::string& folder, const std::string& finding,
                              ReportedRun& run) {
  std::set<std::string> shown;
  const auto& [findings, dismissed] = std::tie(run.result.findings, run.result.dismissed);
  for (const finding::Finding& f : finding.empty() || !findings.empty() ? findings : dismissed) {
    if (f.seen_in.empty() || !shown.insert(f.seen_in[0].run).second) continue;
    FORETELL_TRY(directory, launch::RunDirectory::open(folder + '/' + f.seen_in[0].run));
    FORETELL_TRY(info, directory.info());
    ReportedTrace trace = reported_trace(directory, info, launch::RunTrace(directory));
    trace.run = f.seen_in[0].run;
    FORETELL_TRY(own, read_plainly(directory.findings()));
    if (auto done = keep_only(own, finding); !done) return std::unexpected(std::move(done).error());
    trace.result = std::move(own);
    run.traces.push_back(std::move(trace));
  }
  return {};
}

Result<ReportedRun> open_test_run(const std::string& folder, const std::string& finding) {
  ReportedRun run;
  FORETELL_TRY(result, read_plainly(folder + "/findings.json"));
  run.result = std::move(result);
  if (auto done = keep_only(run.result, finding); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = add_named_traces(folder, finding, run); !done) {
    return std::unexpected(std::move(done).error());
  }
  return run;
}

}  // namespace

Result<ReportedRun> open_reported_run(const std::string& run_path, const std::string& finding) {
  if (const auto folder = launch::RunDirectory::test_run(run_path))
    return open_test_run(*folder, finding);
  FORETELL_TRY(directory, launch::RunDirectory::open(run_path));
  FORETELL_TRY(info, directory.info());
  FORETELL_TRY(result, read_plainly(directory.findings()));
  if (auto done = keep_only(result, finding); !done) {
    return std::unexpected(std::move(done).error());
  }
  result.trace.file = info.program;
  ReportedRun run{std::move(result), {}};
  if (auto done = add_named_traces(directory.path(), finding, run); !done) {
    return std::unexpected(std::move(done).error());
  }
  // A finding of a further run is not in the trace of the first.
  const bool is_elsewhere = !finding.empty() && !run.traces.empty();
  if (!is_elsewhere) {
    ReportedTrace first = reported_trace(directory, info, launch::RunTrace(directory));
    if (!run.traces.empty()) first.result = found_in_first(run.result);
    run.traces.insert(run.traces.begin(), std::move(first));
  }
  return run;
}

Result<void> keep_only(finding::AnalysisResult& result, const std::string& id) {
  if (id.empty()) return {};
  std::string known;
  for (const auto* list : {&result.findings, &result.dismissed}) {
    for (const finding::Finding& f : *list) known += (known.empty() ? "it has " : ", ") + f.id;
  }
  auto is_other = [&](const finding::Finding& f) { return f.id != id; };
  std::erase_if(result.findings, is_other);
  std::erase_if(result.dismissed, is_other);
  if (!result.findings.empty() || !result.dismissed.empty()) return {};
  return std::unexpected(
      Diagnostic{fmt::format("there is no finding '{}' in this run", id), ""}.with_note(
          known.empty() ? "it has no findings" : known));
}

}  // namespace foretell::cli
