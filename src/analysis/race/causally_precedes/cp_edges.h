// SPDX-License-Identifier: Apache-2.0

// CpEdges: the release-acquire edges of causally-precedes, as known so far.
//
// Sections of a lock are numbered 1, 2, ... in the order of their acquires. Edges into a section
// come from earlier sections of the lock. Those that hold it exclusively are totally ordered by
// happens-before, so one edge, from the latest, implies the others. Readers do not order each
// other; an exclusive section may have edges from several of those that came after that latest.
//
// This is what one pass leaves to the next, and it grows with the trace: 8 bytes per critical
// section.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/dense_table.h"

namespace foretell::analysis {

using SectionNumber = uint32_t;  // 0: none

class CpEdges {
 public:
  // Each returns whether the edge is new and not implied by another.
  bool add_exclusive(LockId lock, SectionNumber from, SectionNumber to);
  bool add_reader(LockId lock, SectionNumber from, SectionNumber to);

  SectionNumber latest_exclusive(LockId lock, SectionNumber to) { return row(lock, to).source; }
  std::span<const SectionNumber> readers(LockId lock, SectionNumber to);

  // The last section with an edge from `from`; 0 if there is none. Right after recount_uses();
  // later additions may leave it too large.
  SectionNumber last_use(LockId lock, SectionNumber from) { return row(lock, from).last_use; }

  void recount_uses();

  uint64_t size() const { return size_; }

 private:
  struct Row {
    SectionNumber source = 0;
    SectionNumber last_use = 0;
  };
  struct LockRows {
    std::vector<Row> sections;  // by number
    absl::flat_hash_map<SectionNumber, std::vector<SectionNumber>> readers;
  };

  Row& row(LockId lock, SectionNumber section) {
    std::vector<Row>& sections = locks_[lock].sections;
    if (section >= sections.size()) sections.resize(section + 1);
    return sections[section];
  }

  DenseTable<LockRows, LockId> locks_;
  uint64_t size_ = 0;
};

}  // namespace foretell::analysis
