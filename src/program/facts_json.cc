// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "program/fact_words.h"
#include "program/print_facts.h"

namespace foretell::program {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Position& position) {
  return {{"file", position.file}, {"line", position.line}, {"column", position.column}};
}

template <class Index>
  requires std::is_enum_v<Index>
Json json_of(const std::optional<Index>& index) {
  return index ? Json(place(*index)) : Json(nullptr);
}

Json json_of(const Module& row) {
  return {{"source", row.source},
          {"identity", fmt::format("{:016x}", row.identity)},
          {"first_site", place(row.first_site)},
          {"site_count", row.site_count}};
}

Json json_of(const Site& row) {
  return {{"position", json_of(row.position)},
          {"function", row.function},
          {"expression", row.expression},
          {"kind", word_of(row.kind)},
          {"in_library", row.in_library}};
}

Json json_of(const Function& row) {
  return {
      {"symbol", row.symbol},      {"name", row.name},          {"position", json_of(row.position)},
      {"site", json_of(row.site)}, {"body", word_of(row.body)}, {"run_by", word_of(row.run_by)}};
}

Json json_of(const Call& row) {
  return {{"caller", place(row.caller)},
          {"callee", place(row.callee)},
          {"site", json_of(row.site)},
          {"indirect", row.is_indirect}};
}

Json json_of(const Branch& row) {
  return {{"function", place(row.function)},
          {"position", json_of(row.position)},
          {"ways", row.ways},
          {"site", json_of(row.site)},
          {"kind", word_of(row.kind)}};
}

Json json_of(const Target& row) {
  return {{"object", place(row.object)}, {"offset", row.offset}, {"stride", row.stride}};
}

template <class Index>
Json json_of(const std::vector<Index>& indexes) {
  Json json = Json::array();
  for (Index index : indexes) json.push_back(place(index));
  return json;
}

Json json_of(const Memory& row) {
  return {{"targets", json_of(row.targets)},
          {"reaches_unknown", row.reaches_unknown},
          {"sharing", word_of(row.sharing)}};
}

Json json_of(const Object& row) {
  Json json = {{"kind", word_of(row.kind)},
               {"name", row.name},
               {"position", json_of(row.position)},
               {"function", json_of(row.function)},
               {"site", json_of(row.site)},
               {"sharing", word_of(row.sharing)},
               {"reaches_unknown", row.reaches_unknown}};
  if (row.global)
    json["global"] = {{"module", place(row.global->module)}, {"row", row.global->row}};
  return json;
}

Json json_of(const Access& row) {
  return {{"site", place(row.site)},
          {"function", place(row.function)},
          {"kind", word_of(row.kind)},
          {"memory", place(row.memory)}};
}

Json json_of(const Scope& row) {
  return {{"branch", place(row.branch)},
          {"sites", json_of(row.sites)},
          {"writes", place(row.writes)},
          {"synchronizes", row.synchronizes},
          {"calls_unknown", row.calls_unknown},
          {"allocates", row.allocates},
          {"has_state", row.has_state},
          {"may_trap", row.may_trap},
          {"may_stop", row.may_stop}};
}

Json json_of(const Dependence& row) {
  return {{"function", place(row.function)},
          {"role", word_of(row.role)},
          {"site", json_of(row.site)},
          {"branch", json_of(row.branch)},
          {"argument", row.argument},
          {"loads", json_of(row.loads)},
          {"parameters", json_of(row.parameters)},
          {"results", json_of(row.results)},
          {"branches", json_of(row.branches)},
          {"has_untracked", row.has_untracked}};
}

Json json_of(const Unknown& row) {
  return {{"kind", word_of(row.kind)}, {"name", row.name}, {"uses", row.uses}};
}

template <class Row>
Json rows_of(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(json_of(row));
  return json;
}

}  // namespace

std::string facts_json(const Facts& facts) {
  const Json json = {{"subject",
                      {{"path", facts.subject.path},
                       {"size", facts.subject.size},
                       {"hash", fmt::format("{:016x}", facts.subject.hash)}}},
                     {"modules", rows_of(facts.modules)},
                     {"sites", rows_of(facts.sites)},
                     {"functions", rows_of(facts.functions)},
                     {"calls", rows_of(facts.calls)},
                     {"branches", rows_of(facts.branches)},
                     {"objects", rows_of(facts.objects)},
                     {"targets", rows_of(facts.targets)},
                     {"memory", rows_of(facts.memory)},
                     {"accesses", rows_of(facts.accesses)},
                     {"scopes", rows_of(facts.scopes)},
                     {"dependences", rows_of(facts.dependences)},
                     {"unknowns", rows_of(facts.unknowns)}};
  // File names and symbols are bytes of the system, not always UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell::program
