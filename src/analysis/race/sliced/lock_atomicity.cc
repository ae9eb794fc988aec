// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/lock_atomicity.h"

#include <algorithm>

#include "base/dense_table.h"
#include "trace/lock_sections.h"

namespace foretell::analysis::sliced {

std::vector<Sections> sections_of(std::span<const trace::Event> events) {
  DenseTable<Sections, ThreadId> held;
  DenseTable<uint32_t, LockId> counters;
  std::vector<Sections> sections;
  sections.reserve(events.size());
  for (const trace::Event& e : events) {
    Sections& mine = held[e.thread];
    if (begins_section(e.kind)) {
      mine.emplace_back(e.lock(), ++counters[e.lock()]);
      std::ranges::sort(mine);
    }
    sections.push_back(mine);
    if (ends_section(e.kind)) {
      const auto ended = std::ranges::find(mine, e.lock(), &Sections::value_type::first);
      if (ended != mine.end()) mine.erase(ended);
    }
  }
  return sections;
}

std::optional<uint32_t> section_in(const Sections& sections, LockId lock) {
  const auto found = std::ranges::find(sections, lock, &Sections::value_type::first);
  if (found == sections.end()) return std::nullopt;
  return found->second;
}

}  // namespace foretell::analysis::sliced
