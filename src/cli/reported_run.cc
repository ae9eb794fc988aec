#include "cli/reported_run.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/recording_options.h"

namespace foretell::cli {
namespace {

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
