// SPDX-License-Identifier: Apache-2.0

// The names behind the ids of a trace: threads, locks, locations, sites, ...
//
// Readers fill the tables while they stream, so a table is complete only at the end of a trace, but
// an id always has its row before the first event that uses it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/interner.h"
#include "trace/location.h"
#include "trace/run_facts.h"

namespace foretell::trace {

// A place in the source. Traces from files without positions name sites by any text ("345").
struct Site {
  StringId file{};    // the text of a site without a line
  uint32_t line = 0;  // 0: unknown
  uint32_t column = 0;
  StringId function{};    // "" if unknown
  StringId expression{};  // the location as a person would write it: acc.balance

  bool operator==(const Site&) const = default;
  template <class H>
  friend H AbslHashValue(H state, const Site& s) {
    return H::combine(std::move(state), s.file, s.line, s.column, s.function, s.expression);
  }
};

// Rows of a struct type, each once, with dense ids.
template <class Row, class Id>
class RowTable {
 public:
  Id intern(const Row& row) {
    auto [it, inserted] = ids_.try_emplace(row, static_cast<Id>(rows_.size()));
    if (inserted) rows_.push_back(row);
    return it->second;
  }
  const Row& operator[](Id id) const { return rows_[to_index(id)]; }
  bool contains(Id id) const { return to_index(id) < rows_.size(); }
  size_t size() const { return rows_.size(); }

 private:
  std::vector<Row> rows_;
  absl::flat_hash_map<Row, Id> ids_;
};

// Rows of any type, not necessarily distinct, with dense ids.
template <class Row, class Id>
class RowVector {
 public:
  Id add(Row row) {
    rows_.push_back(std::move(row));
    return static_cast<Id>(rows_.size() - 1);
  }
  const Row& operator[](Id id) const { return rows_[to_index(id)]; }
  size_t size() const { return rows_.size(); }

 private:
  std::vector<Row> rows_;
};

struct TraceTables {
  TraceTables() { strings.intern(""); }  // StringId 0 is the empty string

  Interner<StringId> strings;
  Interner<ThreadId> threads;
  Interner<LockId> locks;
  Interner<ConditionId> conditions;
  Interner<BarrierId> barriers;
  Interner<SemaphoreId> semaphores;
  Interner<LabelId> labels;
  Interner<FunctionId> functions;
  Interner<UserEventId> user_events;
  RowTable<Location, LocationId> locations;
  RowTable<Site, SiteId> sites;
  RunFacts facts;

  LocationId intern_variable(std::string_view name) {
    return locations.intern({.space = strings.intern(name)});
  }
  SiteId intern_site(std::string_view file, uint32_t line = 0, uint32_t column = 0) {
    return sites.intern({.file = strings.intern(file), .line = line, .column = column});
  }

  // "race.cpp:8:15", "345"; empty for kNoSite.
  std::string site_name(SiteId site) const;
  // "x", "buf+8:4", "0x7f00:8".
  std::string location_name(const Location& location) const;
  std::string location_name(LocationId location) const {
    return location_name(locations[location]);
  }
};

}  // namespace foretell::trace
