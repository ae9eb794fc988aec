// SPDX-License-Identifier: Apache-2.0

#include "cli/statement_facts.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <tuple>

#include "bitcode/library.h"
#include "cli/bitcode_library.h"
#include "program/statements.h"

namespace foretell::cli {
namespace {

using Place = std::tuple<std::string_view, uint32_t, uint32_t, std::string_view, std::string_view>;

class Mapping {
 public:
  Mapping(const program::Facts& facts, const trace::TraceTables& tables)
      : facts_(facts), tables_(tables) {
    for (uint32_t i = 0; i < tables.sites.size(); ++i) {
      const trace::Site& site = tables.sites[SiteId{i}];
      sites_[{tables.strings[site.file], site.line, site.column, tables.strings[site.function],
              tables.strings[site.expression]}] = SiteId{i};
    }
  }

  // Of several statements at one place together: known only if all are.
  std::vector<trace::StatementFacts> map(const std::vector<program::Statement>& statements) {
    absl::flat_hash_map<SiteId, trace::StatementFacts> rows;
    absl::flat_hash_map<SiteId, size_t> known, all;
    for (uint32_t i = 0; i < facts_.sites.size(); ++i) {
      const SiteId site = site_of(program::SiteIndex{i});
      if (site != kNoSite) ++all[site];
    }
    for (const program::Statement& statement : statements) {
      const SiteId site = site_of(statement.site);
      if (site == kNoSite) continue;
      ++known[site];
      trace::StatementFacts& row = rows[site];
      row.statement = site;
      add(statement.scope, row.scope);
      add(statement.uses, row.uses);
      for (program::ObjectIndex object : statement.changes) add_global(object, row.changes);
    }
    std::vector<trace::StatementFacts> facts;
    for (auto& [site, row] : rows) {
      if (known[site] == all[site]) facts.push_back(std::move(row));
    }
    std::ranges::sort(facts, {}, &trace::StatementFacts::statement);
    return facts;
  }

 private:
  SiteId site_of(program::SiteIndex index) const {
    const program::Site& site = facts_.sites[program::place(index)];
    const auto it = sites_.find({site.position.file, site.position.line, site.position.column,
                                 site.function, site.expression});
    return it == sites_.end() ? kNoSite : it->second;
  }
  void add(const std::vector<program::SiteIndex>& from, std::vector<SiteId>& to) const {
    for (program::SiteIndex index : from) {
      const SiteId site = site_of(index);
      if (site != kNoSite && std::ranges::find(to, site) == to.end()) to.push_back(site);
    }
  }
  // The whole variable: its recorded space has its name.
  void add_global(program::ObjectIndex object, std::vector<trace::Location>& to) const {
    constexpr StringId kAbsent{UINT32_MAX};
    const StringId space =
        tables_.strings.find(facts_.objects[program::place(object)].name, kAbsent);
    if (space == kAbsent) return;
    const trace::Location whole{.space = space};
    if (std::ranges::find(to, whole) == to.end()) to.push_back(whole);
  }

  const program::Facts& facts_;
  const trace::TraceTables& tables_;
  absl::flat_hash_map<Place, SiteId> sites_;
};

}  // namespace

Result<std::vector<trace::StatementFacts>> statement_facts(const std::string& program,
                                                           const trace::TraceTables& tables) {
  FORETELL_TRY(function, bitcode_function(bitcode::kFactsOfFile));
  Result<program::Facts> facts;
  reinterpret_cast<bitcode::FactsOfFile*>(function)(program, {}, facts);
  if (!facts) return std::unexpected(std::move(facts).error());
  return Mapping(*facts, tables).map(program::statements_of(*facts));
}

}  // namespace foretell::cli
