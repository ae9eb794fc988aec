#include "cli/reported_run.h"

#include <algorithm>

#include "analysis/describer.h"
#include "base/input_file.h"
#include "cli/command.h"
#include "cli/recording_options.h"
#include "replay/finding_file.h"
#include "trace/stream.h"

namespace foretell::cli {
namespace {

// How much of a schedule the text report shows.
constexpr size_t kShownSteps = 64;

std::span<const EventIndex> last_steps(const Finding& finding) {
  const std::span<const EventIndex> steps = finding.witness->steps;
  return steps.last(std::min(steps.size(), kShownSteps));
}

Result<void> describe_steps(const RunDirectory& directory, std::vector<Finding>& findings) {
  FORETELL_TRY(reader, open_run_trace(directory));
  FORETELL_TRY(stream, TraceStream::open(std::move(reader)));
  EventDescriber describer(stream.tables(),
                           [&](LocationId id) { return stream.location_name(id); });
  for (const Finding& f : findings) {
    if (!f.witness) continue;
    for (EventIndex index : last_steps(f)) describer.want(index);
  }
  // Re-entrant operations are steps too.
  std::vector<Event> folded;
  stream.collect_folded(&folded);
  for (;;) {
    auto batch = stream.next();
    if (!batch) return std::unexpected(std::move(batch).error());
    if (batch->empty()) break;
    describer.on_events(*batch);
  }
  describer.on_events(folded);
  for (Finding& f : findings) {
    if (!f.witness) continue;
    for (EventIndex index : last_steps(f)) f.witness->last_steps.push_back(describer[index]);
  }
  return {};
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

ReportedTrace reported_trace(const RunDirectory& directory, const RunInfo& info) {
  return {.path = directory.trace(),
          .open = [directory] { return open_run_trace(directory); },
          .facts = {{"command", joined(info.command)},
                    {"ended", info.ended},
                    {"mode", info.mode},
                    {"strategy", info.strategy},
                    {"seed", std::to_string(info.seed)}}};
}

Result<AnalysisResult> reported_result(const RunDirectory& directory) {
  FORETELL_TRY(result, read_findings(directory.findings()));
  for (auto* list : {&result.findings, &result.dismissed}) {
    for (Finding& f : *list) {
      if (f.schedule_file.empty()) continue;
      FORETELL_TRY(schedule, read_schedule(directory.schedule(f.id)));
      f.schedule = schedule.to_string();
    }
  }
  if (auto done = describe_steps(directory, result.findings); !done) {
    return std::unexpected(std::move(done).error());
  }
  return std::move(result);
}

Result<void> keep_only(AnalysisResult& result, const std::string& id) {
  if (id.empty()) return {};
  std::string known;
  for (const auto* list : {&result.findings, &result.dismissed}) {
    for (const Finding& f : *list) known += (known.empty() ? "it has " : ", ") + f.id;
  }
  auto is_other = [&](const Finding& f) { return f.id != id; };
  std::erase_if(result.findings, is_other);
  std::erase_if(result.dismissed, is_other);
  if (!result.findings.empty() || !result.dismissed.empty()) return {};
  return std::unexpected(
      Diagnostic{fmt::format("there is no finding '{}' in this run", id), ""}.with_note(
          known.empty() ? "it has no findings" : known));
}

}  // namespace foretell::cli
