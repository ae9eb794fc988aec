// SPDX-License-Identifier: Apache-2.0

#include "report/determinism_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/determinism/exact/nondeterminism.h"

namespace foretell::report {

OutcomeCounts count_outcomes(const analysis::DeterminismResult& result) {
  OutcomeCounts counts;
  for (const analysis::ReadOutcome& read : result.reads) {
    const bool certain = std::ranges::any_of(read.others, [](const analysis::OtherWrite& other) {
      return other.outcome == judge::JudgeOutcome::witness;
    });
    ++(!certain                          ? counts.undecided
       : read.is_harmless                ? counts.harmless
       : read.read == judge::kNoPosition ? counts.at_end
                                         : counts.reads);
  }
  const bool all_decided = counts.undecided == 0 && result.not_examined == 0;
  counts.verdict = counts.reads + counts.at_end > 0 ? DeterminismVerdict::not_deterministic
                   : !all_decided                   ? DeterminismVerdict::undecided
                   : counts.harmless > 0            ? DeterminismVerdict::same_values
                                                    : DeterminismVerdict::deterministic;
  return counts;
}

DeterminismNames::DeterminismNames(const trace::Trace& trace, std::string_view directory)
    : trace_(trace), prefix_(directory.empty() ? "" : std::string(directory) + '/') {
  std::vector<bool> written;
  for (const trace::Event& e : trace.events) {
    if (!is_access(e.kind)) continue;
    const size_t i = to_index(e.location());
    if (i >= written.size()) {
      written.resize(i + 1);
      initial_.resize(i + 1);
    }
    if (is_read(e.kind) && !written[i]) initial_[i] = analysis::ReadValues::returned(e);
    if (is_write(e.kind)) written[i] = true;
  }
}

std::string DeterminismNames::place(const trace::Event& e) const {
  if (e.site == kNoSite) return fmt::format("event {}", to_index(e.index));
  std::string name = trace_.tables.site_name(e.site);
  if (!prefix_.empty() && name.starts_with(prefix_)) name.erase(0, prefix_.size());
  return name;
}

std::string DeterminismNames::variable(const analysis::ReadOutcome& read) const {
  if (read.read != judge::kNoPosition && trace_.events[read.read].site != kNoSite) {
    const trace::Site& site = trace_.tables.sites[trace_.events[read.read].site];
    const std::string_view expression = trace_.tables.strings[site.expression];
    if (!expression.empty()) return std::string(expression);
  }
  return trace_.location_name(read.location);
}

std::optional<uint64_t> DeterminismNames::value(LocationId location, judge::Position writer) const {
  if (writer == judge::kNoPosition) return initial_[to_index(location)];
  const trace::Event& e = trace_.events[writer];
  return e.has_value() ? std::optional(e.value) : std::nullopt;
}

}  // namespace foretell::report
