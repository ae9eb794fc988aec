// SPDX-License-Identifier: Apache-2.0

// Statements: the facts of a trace about its code (trace/statement_facts.h), by what is asked.
//
// A statement without facts is unknown: anything before it in its thread may decide whether it is
// reached and what it computes. So missing facts cost predictions and add none.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "trace/location.h"
#include "trace/statement_facts.h"

namespace foretell::analysis::sliced {

class Statements {
 public:
  using MemoryOf = std::function<trace::Location(LocationId)>;

  // Both outlive this.
  Statements(const std::vector<trace::StatementFacts>& facts, MemoryOf memory_of);

  bool is_known(SiteId statement) const { return uses_.contains(statement); }
  // The statements that it is in the control scope of.
  std::span<const SiteId> controllers(SiteId statement) const;
  // The statements whose reads it computes from.
  std::span<const SiteId> uses(SiteId statement) const;
  bool is_in_scope(SiteId statement, SiteId controller) const {
    return in_scope_.contains({controller, statement});
  }
  // The statements in whose scopes the location may be written.
  std::span<const SiteId> changers(LocationId location);

 private:
  const std::vector<trace::StatementFacts>& facts_;
  MemoryOf memory_of_;
  absl::flat_hash_map<SiteId, std::vector<SiteId>> controllers_, uses_;
  absl::flat_hash_set<std::pair<SiteId, SiteId>> in_scope_;
  absl::flat_hash_map<LocationId, std::vector<SiteId>> changers_;
};

}  // namespace foretell::analysis::sliced
