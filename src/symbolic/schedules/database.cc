// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/database.h"

#include <nlohmann/json.hpp>

#include "symbolic/schedules/expr_json.h"

namespace foretell::symbolic {

using nlohmann::json;

namespace {

json node_json(const Node& node) {
  json after = json::array();
  for (const NodePlace& place : node.after) after.push_back({place.thread, place.index});
  return {{"kind", static_cast<int>(node.kind)},
          {"at", node.instruction},
          {"result", node.result},
          {"after", std::move(after)},
          {"object", node.object}};
}

json schedule_json(const Schedule& schedule) {
  json threads = json::array();
  for (const auto& thread : schedule.threads) {
    json nodes = json::array();
    for (const Node& node : thread) nodes.push_back(node_json(node));
    threads.push_back(std::move(nodes));
  }
  return {{"threads", std::move(threads)},
          {"end", static_cast<int>(schedule.end)},
          {"end_text", schedule.end_text},
          {"participants", schedule.participants},
          {"end_epoch", schedule.end_epoch}};
}

json numbers_of(const std::vector<smt::Expr>& conditions, ExprWriter& writer) {
  json numbers = json::array();
  for (smt::Expr condition : conditions) numbers.push_back(writer.add(condition));
  return numbers;
}

json epoch_json(const EpochCover& epoch, ExprWriter& writer) {
  json schedules = json::array();
  for (const CoveredSchedule& covered : epoch.schedules) {
    json alternatives = json::array();
    for (const Alternative& alternative : covered.alternatives)
      alternatives.push_back({{"conditions", numbers_of(alternative.conditions, writer)},
                              {"example", alternative.example}});
    schedules.push_back(
        {{"schedule", schedule_json(covered.schedule)}, {"alternatives", std::move(alternatives)}});
  }
  json order = json::array();
  for (const auto& [schedule, alternative] : epoch.order) order.push_back({schedule, alternative});
  return {{"name", epoch.name}, {"schedules", std::move(schedules)}, {"order", std::move(order)}};
}

json access_json(const Input& input) {
  if (!input.access) return nullptr;
  const Access& access = *input.access;
  return {{"register", access.is_register},
          {"thread", access.thread},
          {"site", access.site},
          {"reg", access.reg},
          {"global", access.global},
          {"offsets", access.offsets}};
}

std::optional<Access> read_access(const json& input) {
  const json& from = input.at("access");
  if (from.is_null()) return {};
  return Access{.is_register = from.at("register"),
                .thread = from.at("thread"),
                .site = from.at("site"),
                .reg = from.at("reg"),
                .global = from.at("global"),
                .offsets = from.at("offsets").get<std::vector<int64_t>>()};
}

Node read_node(const json& from) {
  Node node{.kind = static_cast<NodeKind>(from.at("kind").get<int>()),
            .instruction = from.at("at"),
            .result = from.at("result"),
            .object = from.at("object")};
  for (const json& place : from.at("after"))
    node.after.push_back({place.at(0).get<uint32_t>(), place.at(1).get<uint32_t>()});
  return node;
}

Schedule read_schedule(const json& from) {
  Schedule schedule{.end = static_cast<EndKind>(from.at("end").get<int>()),
                    .end_text = from.at("end_text"),
                    .end_epoch = from.at("end_epoch"),
                    .participants = from.at("participants")};
  for (const json& thread : from.at("threads")) {
    schedule.threads.emplace_back();
    for (const json& node : thread) schedule.threads.back().push_back(read_node(node));
  }
  return schedule;
}

std::vector<smt::Expr> conditions_of(const json& numbers, const std::vector<smt::Expr>& all) {
  std::vector<smt::Expr> conditions;
  for (const json& number : numbers) conditions.push_back(all.at(number.get<size_t>()));
  return conditions;
}

EpochCover read_epoch(const json& from, const std::vector<smt::Expr>& all) {
  EpochCover epoch{.name = from.at("name")};
  for (const json& one : from.at("schedules")) {
    CoveredSchedule covered{.schedule = read_schedule(one.at("schedule"))};
    for (const json& alternative : one.at("alternatives"))
      covered.alternatives.push_back(
          {conditions_of(alternative.at("conditions"), all), alternative.at("example")});
    epoch.schedules.push_back(std::move(covered));
  }
  for (const json& pair : from.at("order"))
    epoch.order.emplace_back(pair.at(0).get<uint32_t>(), pair.at(1).get<uint32_t>());
  return epoch;
}

Cover read_all(const json& from, const std::vector<smt::Expr>& all) {
  Cover cover{.threads = from.at("threads"),
              .is_complete = from.at("complete"),
              .stopped_by = from.at("stopped_by"),
              .fixed_arguments = from.at("fixed_arguments"),
              .arguments_are_fixed = from.at("arguments_are_fixed"),
              .most_arguments = from.at("most_arguments"),
              .most_argument_bytes = from.at("most_argument_bytes"),
              .has_epochs = from.at("has_epochs"),
              .readings = from.at("readings").get<std::set<uint32_t>>(),
              .paths = from.at("paths"),
              .steps = from.at("steps")};
  for (const json& input : from.at("inputs"))
    cover.inputs.push_back({static_cast<InputKind>(input.at("kind").get<int>()), input.at("index"),
                            input.at("byte"), all.at(input.at("variable").get<size_t>()),
                            read_access(input)});
  cover.known = conditions_of(from.at("known"), all);
  for (const json& epoch : from.at("epochs")) cover.epochs.push_back(read_epoch(epoch, all));
  for (const json& note : from.at("notes"))
    cover.notes.push_back({static_cast<NoteKind>(note.at("kind").get<int>()), note.at("open"),
                           note.at("text"), note.at("place")});
  for (const auto& [at, place] : from.at("places").items())
    cover.places[static_cast<uint32_t>(std::stoul(at))] = place;
  return cover;
}

}  // namespace

std::string cover_json(const Cover& cover) {
  ExprWriter writer;
  json epochs = json::array(), inputs = json::array(), notes = json::array();
  json places = json::object();
  for (const EpochCover& epoch : cover.epochs) epochs.push_back(epoch_json(epoch, writer));
  for (const Input& input : cover.inputs)
    inputs.push_back({{"kind", static_cast<int>(input.kind)},
                      {"index", input.index},
                      {"byte", input.byte},
                      {"variable", writer.add(input.variable)},
                      {"access", access_json(input)}});
  for (const Note& note : cover.notes)
    notes.push_back({{"kind", static_cast<int>(note.kind)},
                     {"open", note.is_open},
                     {"text", note.text},
                     {"place", note.place}});
  for (const auto& [at, place] : cover.places) places[std::to_string(at)] = place;
  json known = numbers_of(cover.known, writer);
  const json whole = {{"version", kDatabaseVersion},
                      {"threads", cover.threads},
                      {"complete", cover.is_complete},
                      {"stopped_by", cover.stopped_by},
                      {"fixed_arguments", cover.fixed_arguments},
                      {"arguments_are_fixed", cover.arguments_are_fixed},
                      {"most_arguments", cover.most_arguments},
                      {"most_argument_bytes", cover.most_argument_bytes},
                      {"has_epochs", cover.has_epochs},
                      {"readings", cover.readings},
                      {"paths", cover.paths},
                      {"steps", cover.steps},
                      {"inputs", std::move(inputs)},
                      {"known", std::move(known)},
                      {"epochs", std::move(epochs)},
                      {"notes", std::move(notes)},
                      {"places", std::move(places)},
                      {"expressions", writer.nodes()}};
  return whole.dump(1) + "\n";
}

Result<Cover> read_cover(const std::string& text, const std::string& where,
                         smt::ExprContext& context) {
  const json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded() || !whole.is_object() || !whole.contains("version"))
    return fail_at(where, "this is no set of schedules");
  if (whole.at("version") != kDatabaseVersion)
    return fail_at(where, "schedules of version {}; this Foretell reads version {}",
                   whole.at("version").dump(), kDatabaseVersion);
  try {
    const auto all = read_expressions(whole.at("expressions"), context);
    if (!all) return fail_at(where, "the set of schedules is damaged: an expression is wrong");
    return read_all(whole, *all);
  } catch (const std::exception& problem) {
    return fail_at(where, "the set of schedules is damaged: {}", problem.what());
  }
}

std::string journal_line(const JournalEntry& entry) {
  return json{{"inputs", entry.inputs}, {"may_fail", entry.may_fail}, {"covered", entry.is_covered}}
             .dump() +
         "\n";
}

// The last line may have been cut off by a kill: it does not count.
Result<std::vector<JournalEntry>> read_journal(const std::string& text, const std::string& where) {
  std::vector<JournalEntry> entries;
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    if (end == std::string::npos) break;
    const json line = json::parse(text.substr(from, end - from), nullptr, false);
    from = end + 1;
    if (!line.is_object() || !line.contains("inputs") || !line.contains("covered"))
      return fail_at(where, "the journal is damaged in line {}", entries.size() + 1);
    entries.push_back({line.at("inputs").get<std::map<std::string, uint64_t>>(),
                       line.value("may_fail", false), line.value("covered", false)});
  }
  return entries;
}

}  // namespace foretell::symbolic
