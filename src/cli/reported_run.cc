// SPDX-License-Identifier: Apache-2.0

#include "cli/reported_run.h"

#include <algorithm>
#include <set>

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

namespace {

Result<ReportedRun> open_test_run(const std::string& folder, const std::string& finding) {
  ReportedRun run;
  FORETELL_TRY(result, read_plainly(folder + "/findings.json"));
  if (auto done = keep_only(result, finding); !done) {
    return std::unexpected(std::move(done).error());
  }
  std::set<std::string> shown;
  for (const finding::Finding& f :
       finding.empty() || !result.findings.empty() ? result.findings : result.dismissed) {
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
  run.result = std::move(result);
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
  return ReportedRun{std::move(result),
                     {reported_trace(directory, info, launch::RunTrace(directory))}};
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
