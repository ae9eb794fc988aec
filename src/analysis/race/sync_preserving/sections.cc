// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/sections.h"

#include <algorithm>

namespace foretell::analysis {

uint32_t SectionHistory::add(const Section& section) {
  CHECK(sections_.size() < UINT32_MAX);
  const auto number = static_cast<uint32_t>(sections_.size());
  sections_.push_back(section);
  auto mine = std::ranges::find(threads_, uint32_t{section.thread}, &OfThread::thread);
  if (mine == threads_.end()) mine = threads_.insert(mine, {section.thread, {}, {}});
  (section.shared ? mine->shared : mine->exclusive).push_back(number);
  return number;
}

// The last of `numbers` whose section begins by `step` is not before `index`.
bool SectionHistory::reaches(const std::vector<uint32_t>& numbers, uint32_t index,
                             Step step) const {
  auto beyond = std::ranges::partition_point(
      numbers, [&](uint32_t number) { return sections_[number].begin <= step; });
  return beyond != numbers.begin() && *std::prev(beyond) >= index;
}

bool SectionHistory::contains_from(uint32_t index, bool only_exclusive, const Step* set) const {
  constexpr uint32_t kNear = 12;
  const uint32_t near_end = std::min(size(), index + kNear);
  for (uint32_t i = index; i < near_end; ++i) {
    const Section& section = sections_[i];
    if (section.begin <= set[section.thread] && !(only_exclusive && section.shared)) return true;
  }
  if (near_end == size()) return false;
  return std::ranges::any_of(threads_, [&](const OfThread& of) {
    if (reaches(of.exclusive, near_end, set[of.thread])) return true;
    return !only_exclusive && reaches(of.shared, near_end, set[of.thread]);
  });
}

}  // namespace foretell::analysis
