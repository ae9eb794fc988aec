#include "pipeline/race_freedom.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell {

RaceFreedom::RaceFreedom(const std::vector<const AnalysisEntry*>& analyses,
                         const AnalysisOptions& options) {
  auto place_of = [&](std::string_view name) -> std::optional<uint32_t> {
    const auto it = std::ranges::find(analyses, name, &AnalysisEntry::name);
    if (it == analyses.end()) return {};
    return static_cast<uint32_t>(it - analyses.begin());
  };
  is_wanted_ = place_of("sidetrack").has_value();
  if (!is_wanted_) return;
  for (std::string_view precise : {"fasttrack", "djit", "happens_before"}) {
    if (selected_) break;
    selected_ = place_of(precise);
    if (selected_) name_ = precise;
  }
  if (selected_) return;
  const auto entry = std::ranges::find(all_analyses(), name_, &AnalysisEntry::name);
  detector_ = entry->make(options, count_);
}

void RaceFreedom::on_events(std::span<const Event> batch) {
  if (detector_) detector_->on_events(batch);
}

std::optional<std::string> RaceFreedom::remark(ProposalCollector& collector) const {
  if (!is_wanted_) return {};
  bool has_races = count_.races > 0;
  if (selected_) {
    has_races = std::ranges::any_of(collector.groups(), [&](const ProposalGroup& group) {
      return group.analyses >> *selected_ & 1 && group.candidates.front().kind == FindingKind::race;
    });
  }
  if (!has_races) {
    return fmt::format("sidetrack assumes that there are no data races; {} found none in this run",
                       name_);
  }
  return fmt::format(
      "sidetrack assumes that there are no data races, but this run has some ({}): what only "
      "sidetrack says may be wrong",
      name_);
}

}  // namespace foretell
