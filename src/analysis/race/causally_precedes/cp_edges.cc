// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/cp_edges.h"

#include <algorithm>

namespace foretell::analysis {

bool CpEdges::add_exclusive(LockId lock, SectionNumber from, SectionNumber to) {
  Row& target = row(lock, to);
  if (target.source >= from) return false;
  if (target.source == 0) ++size_;
  target.source = from;
  Row& source = row(lock, from);
  source.last_use = std::max(source.last_use, to);
  return true;
}

bool CpEdges::add_reader(LockId lock, SectionNumber from, SectionNumber to) {
  if (row(lock, to).source > from) return false;
  auto& readers = locks_[lock].readers[to];
  if (std::ranges::find(readers, from) != readers.end()) return false;
  readers.push_back(from);
  ++size_;
  Row& source = row(lock, from);
  source.last_use = std::max(source.last_use, to);
  return true;
}

std::span<const SectionNumber> CpEdges::readers(LockId lock, SectionNumber to) {
  const auto& readers = locks_[lock].readers;
  if (readers.empty()) return {};
  const auto it = readers.find(to);
  return it == readers.end() ? std::span<const SectionNumber>() : it->second;
}

void CpEdges::recount_uses() {
  for (uint32_t l = 0; l < locks_.size(); ++l) {
    auto& [sections, readers] = locks_[LockId{l}];
    for (Row& section : sections) section.last_use = 0;
    // Targets ascend, so the last one stays.
    for (SectionNumber to = 1; to < sections.size(); ++to) {
      sections[sections[to].source].last_use = to;
    }
    for (const auto& [to, sources] : readers) {
      for (SectionNumber from : sources) {
        sections[from].last_use = std::max(sections[from].last_use, to);
      }
    }
    if (!sections.empty()) sections[0].last_use = 0;
  }
}

}  // namespace foretell::analysis
