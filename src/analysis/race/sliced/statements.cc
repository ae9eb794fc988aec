// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/statements.h"

#include <algorithm>

namespace foretell::analysis::sliced {
namespace {

// A variable without extent covers every range of its space.
bool overlap(const trace::Location& a, const trace::Location& b) {
  if (a.space != b.space) return false;
  if (a.size == 0 || b.size == 0) return true;
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

std::span<const SiteId> listed(const absl::flat_hash_map<SiteId, std::vector<SiteId>>& map,
                               SiteId statement) {
  const auto it = map.find(statement);
  return it == map.end() ? std::span<const SiteId>() : std::span(it->second);
}

}  // namespace

Statements::Statements(const std::vector<trace::StatementFacts>& facts, MemoryOf memory_of)
    : facts_(facts), memory_of_(std::move(memory_of)) {
  for (const trace::StatementFacts& row : facts) {
    uses_[row.statement] = row.uses;
    for (SiteId statement : row.scope) {
      if (!in_scope_.insert({row.statement, statement}).second) continue;
      controllers_[statement].push_back(row.statement);
    }
  }
}

std::span<const SiteId> Statements::controllers(SiteId statement) const {
  return listed(controllers_, statement);
}

std::span<const SiteId> Statements::uses(SiteId statement) const {
  return listed(uses_, statement);
}

std::span<const SiteId> Statements::changers(LocationId location) {
  auto [it, fresh] = changers_.try_emplace(location);
  if (fresh) {
    const trace::Location memory = memory_of_(location);
    for (const trace::StatementFacts& row : facts_) {
      const bool may_change = std::ranges::any_of(
          row.changes, [&](const trace::Location& changed) { return overlap(changed, memory); });
      if (may_change) it->second.push_back(row.statement);
    }
  }
  return it->second;
}

}  // namespace foretell::analysis::sliced
