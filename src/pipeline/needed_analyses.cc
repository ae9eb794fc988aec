// SPDX-License-Identifier: Apache-2.0

#include "pipeline/needed_analyses.h"

#include <algorithm>

#include "base/check.h"
#include "base/split.h"

namespace foretell::pipeline {

NeededAnalyses::NeededAnalyses(std::span<const analysis::AnalysisEntry* const> selected,
                               const analysis::AnalysisOptions& options) {
  for (size_t i = 0; i < selected.size(); ++i) {
    if (selected[i]->needs.empty()) continue;
    Need need{.of = i};
    for (std::string_view name : split(selected[i]->needs, '|')) {
      const auto it = std::ranges::find(selected, name, &analysis::AnalysisEntry::name);
      const bool is_selected = it != selected.end();
      if (need.name.empty() || is_selected) need.name = name;
      if (!is_selected) continue;
      need.selected = static_cast<size_t>(it - selected.begin());
      break;
    }
    if (!need.selected) {
      const analysis::AnalysisEntry* entry = analysis::find_analysis(need.name);
      CHECK(entry != nullptr);
      need.count = std::make_unique<Count>();
      need.running = entry->make(options, *need.count);
    }
    needs_.push_back(std::move(need));
  }
}

void NeededAnalyses::on_events(std::span<const trace::Event> batch) {
  for (Need& need : needs_) {
    if (need.running) need.running->on_events(batch);
  }
}

void NeededAnalyses::finish() {
  for (Need& need : needs_) {
    if (!need.running) continue;
    need.running->finish();
    if (!need.running->wants_another_pass()) need.running.reset();
  }
}

bool NeededAnalyses::wants_another_pass() const {
  return std::ranges::any_of(needs_, [](const Need& need) { return need.running != nullptr; });
}

std::optional<analysis::NeededResult> NeededAnalyses::result_for(
    size_t analysis, ProposalCollector& collector) const {
  const auto need = std::ranges::find(needs_, analysis, &Need::of);
  if (need == needs_.end()) return {};
  analysis::NeededResult result{need->name};
  if (need->selected) {
    result.proposals = static_cast<uint64_t>(std::ranges::count_if(
        collector.groups(),
        [&](const ProposalGroup& group) { return group.analyses >> *need->selected & 1; }));
  } else {
    result.proposals = need->count->proposals;
  }
  return result;
}

}  // namespace foretell::pipeline
