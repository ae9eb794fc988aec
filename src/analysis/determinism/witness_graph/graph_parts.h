// SPDX-License-Identifier: Apache-2.0

// What all graphs of one trace have in common: its locked scopes, and the edges that locks do not induce.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::analysis {

struct Scope {
  judge::Position acquire = judge::kNoPosition;
  judge::Position release = judge::kNoPosition;  // none: never left
};

// The locked scopes of one lock and thread, in program order.
struct ScopeList {
  LockId lock{};
  uint32_t thread = 0;
  std::vector<Scope> scopes;     // all
  std::vector<Scope> exclusive;  // without shared ones

  bool is_exclusive() const { return exclusive.size() == scopes.size(); }
};

class GraphParts {
 public:
  explicit GraphParts(const judge::TraceFacts& facts);

  const judge::TraceFacts& facts;
  std::vector<ScopeList> lists;                 // by lock, then thread
  std::vector<std::vector<uint32_t>> lists_of;  // by lock: in lists
  std::vector<std::vector<uint32_t>> lists_by;  // by thread: in lists
  std::span<const judge::Position> sync_before(judge::Position p) const {
    return std::span(sync_).subspan(first_sync_[p], first_sync_[p + 1] - first_sync_[p]);
  }
  // The other way round, with the reads of a write.
  std::span<const judge::Position> uses(judge::Position p) const {
    return std::span(uses_).subspan(first_use_[p], first_use_[p + 1] - first_use_[p]);
  }

 private:
  void find_uses();

  std::vector<uint32_t> first_sync_;
  std::vector<judge::Position> sync_;
  std::vector<uint32_t> first_use_;
  std::vector<judge::Position> uses_;
};

}  // namespace foretell::analysis
