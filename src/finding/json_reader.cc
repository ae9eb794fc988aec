// SPDX-License-Identifier: Apache-2.0

#include "finding/json_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "finding/json_writer.h"

namespace foretell::finding {
namespace {

using Json = nlohmann::ordered_json;

// nlohmann reports what is missing or of another type by exceptions; so do we, what is unknown.
struct UnknownWord {
  std::string what, word;
};

template <class T>
T known(std::optional<T> value, std::string_view what, const std::string& word) {
  if (!value) throw UnknownWord{std::string(what), word};
  return *value;
}

template <class T>
T named(std::optional<T> (*find)(std::string_view), std::string_view what, const Json& json) {
  const auto word = json.get<std::string>();
  return known(find(word), what, word);
}

DescribedEvent event_of(const Json& json) {
  DescribedEvent e;
  e.index = EventIndex{json.at("index").get<uint64_t>()};
  json.at("thread").get_to(e.thread);
  e.operation = named(operation_named, "operation", json.at("op"));
  e.thread_name = json.value("thread_name", "");
  e.object = json.value("object", "");
  e.site = json.value("site", "");
  e.function = json.value("function", "");
  e.expression = json.value("expression", "");
  for (const Json& lock : json.value("locks", Json::array())) {
    e.locks.push_back({lock.at("lock"), lock.at("shared"), lock.value("site", "")});
  }
  if (json.contains("value")) e.value = static_cast<uint64_t>(json.at("value").get<int64_t>());
  for (const Json& frame : json.value("stack", Json::array())) {
    e.stack.push_back({frame.at("function"), frame.at("site")});
  }
  return e;
}

RecordedOrder recorded_of(const Json& json) {
  if (!json.contains("recorded")) return {};
  const Json& recorded = json.at("recorded");
  using enum RecordedOrder::Kind;
  RecordedOrder order{.kind = recorded.at("ordered").get<bool>() ? ordered : unordered};
  recorded.at("steps_between").get_to(order.steps_between);
  for (const Json& edge : recorded.at("path")) {
    order.path.push_back({event_of(edge.at("from")), event_of(edge.at("to")), edge.at("lock"),
                          edge.at("by_chance")});
  }
  return order;
}

std::optional<Witness> witness_of(const Json& json) {
  const Json& indices = json.at("witness");
  if (indices.is_null()) return {};
  Witness witness;
  // The indices of a short recorded part are there, those of a long one are not.
  const auto as_recorded = json.value("witness_as_recorded", uint64_t{0});
  witness.prefix_end = json.value("witness_prefix", as_recorded);
  for (size_t i = as_recorded; i < indices.size(); ++i) {
    witness.steps.push_back(EventIndex{indices[i].get<uint64_t>()});
  }
  for (const Json& step : json.value("steps", Json::array())) {
    witness.last_steps.push_back(event_of(step));
  }
  return witness;
}

// What only one kind has.

void read(const Json& json, RaceFinding& race) {
  json.at("location").get_to(race.location);
  race.recorded = recorded_of(json);
  for (const Json& event : json.value("missing_order", Json::array())) {
    race.missing_order.push_back(event_of(event));
  }
}
void read(const Json& json, DeadlockFinding& deadlock) {
  json.at("location").get_to(deadlock.waits);
  deadlock.is_cycle = json.value("cycle", false);
}
void read(const Json& json, AtomicityFinding& violation) {
  json.at("blocks").get_to(violation.blocks);
  violation.pattern = named(pattern_named, "pattern", json.at("pattern"));
}
void read(const Json& json, NondeterminismFinding& read) {
  json.at("location").get_to(read.location);
  RecordedOrder recorded = recorded_of(json);
  if (!recorded.path.empty()) read.seen_write = std::move(recorded.path[0].from);
}
void read(const Json& json, PropertyFinding& property) {
  json.at("location").get_to(property.name);
}

schedule::Schedule schedule_of(const std::string& text) {
  auto schedule = schedule::parse_schedule(text);
  if (!schedule) throw UnknownWord{"schedule", text};
  return *std::move(schedule);
}

// Names of findings become names of files.
bool is_name(std::string_view id) {
  return !id.empty() && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Finding finding_of(const Json& json) {
  Finding finding;
  json.at("id").get_to(finding.id);
  if (!is_name(finding.id)) throw UnknownWord{"name of a finding", finding.id};
  finding.details = details_of(named(finding_kind, "kind of finding", json.at("kind")));
  std::visit([&](auto& details) { read(json, details); }, finding.details);
  finding.verdict = named(verdict_named, "verdict", json.at("verdict"));
  finding.analyses = json.value("analyses", std::vector<std::string>());
  for (const Json& event : json.at("events")) finding.events.push_back(event_of(event));
  for (const Json& event : json.value("origins", Json::array())) {
    finding.origins.push_back(event_of(event));
  }
  finding.witness = witness_of(json);
  if (json.contains("reads")) {
    finding.reads = named(trace::read_demand_named, "demand on reads", json.at("reads"));
  }
  finding.reason = json.value("reason", "");
  if (json.contains("schedule_string")) finding.schedule = schedule_of(json.at("schedule_string"));
  finding.schedule_file = json.value("schedule", "");
  finding.replay = json.value("replay", "");
  finding.consequence = json.value("consequence", "");
  finding.occurrences = json.value("occurrences", uint64_t{1});
  finding.fingerprint = json.value("fingerprint", "");
  if (json.contains("suppressed")) {
    const Json& by = json.at("suppressed");
    finding.suppressed = SuppressedBy{by.at("rule"), by.at("reason")};
  }
  if (json.contains("baseline")) {
    finding.baseline = named(baseline_state_named, "state", json.at("baseline"));
  }
  for (const Json& seen : json.value("tests", Json::array())) {
    finding.seen_in.push_back(
        {seen.at("test"), seen.at("case"), seen.value("program", ""), seen.at("run")});
  }
  return finding;
}

// Version 1 called it possible.
Finding dismissed_of(const Json& json) {
  Finding finding = finding_of(json);
  finding.verdict = Verdict::dismissed;
  return finding;
}

TraceSummary trace_of(const Json& json) {
  TraceSummary trace;
  json.at("name").get_to(trace.name);
  json.at("events").get_to(trace.events);
  json.at("threads").get_to(trace.threads);
  json.at("locks").get_to(trace.locks);
  json.at("locations").get_to(trace.locations);
  trace.unchecked = json.value("unchecked", "");
  trace.programs = json.value("programs", std::vector<std::string>());
  for (const Json& ran : json.value("tests", Json::array())) {
    trace.tests.push_back({ran.at("test"), ran.at("cases")});
  }
  return trace;
}

std::vector<AbsentFinding> absent_of(const Json& json, const char* key) {
  std::vector<AbsentFinding> findings;
  for (const Json& each : json.value(key, Json::array())) {
    findings.push_back({each.at("fingerprint"),
                        named(finding_kind, "kind of finding", each.at("kind")), each.at("text")});
  }
  return findings;
}

std::vector<Diagnostic> diagnostics_of(const Json& json, const char* key) {
  std::vector<Diagnostic> diagnostics;
  for (const Json& each : json.value(key, Json::array())) {
    diagnostics.push_back({each.at("message"), each.value("where", ""),
                           each.value("notes", std::vector<std::string>())});
  }
  return diagnostics;
}

void read_stats(const Json& json, AnalysisResult& result) {
  for (const auto& [name, seconds] : json.at("phases").items()) {
    result.phases.push_back({name, seconds.get<double>()});
  }
  if (json.contains("conversions")) {
    json.at("conversions").at("decoded").get_to(result.conversions.decoded);
    json.at("conversions").at("normalized").get_to(result.conversions.normalized);
  }
  for (const Json& each : json.at("analyses")) {
    AnalysisStats& stats = result.stats.emplace_back(each.at("name"), each.at("seconds"));
    for (const auto& [rule, times] : each.at("rules").items()) {
      stats.rules.push_back({rule, times.get<uint64_t>()});
    }
  }
}

AnalysisResult result_of(const Json& json) {
  AnalysisResult result;
  result.trace = trace_of(json.at("trace"));
  for (const Json& each : json.at("findings")) result.findings.push_back(finding_of(each));
  for (const Json& each : json.value("dismissed", Json::array())) {
    result.dismissed.push_back(dismissed_of(each));
  }
  result.fixed = absent_of(json, "fixed");
  result.not_run = absent_of(json, "not_run");
  for (const Json& block : json.value("could_be_atomic", Json::array())) {
    result.inferred.push_back({block.at("function"), block.at("calls"), block.at("shared")});
  }
  result.warnings = diagnostics_of(json, "warnings");
  result.notes = diagnostics_of(json, "notes");
  if (json.contains("stats")) read_stats(json.at("stats"), result);
  return result;
}

// No exception leaves this function.
template <class T>
Result<T> parse_json(std::string_view text, const std::string& name, auto take) {
  try {
    const Json json = Json::parse(text);
    const Json& version = json.at("foretell");
    if (version != 1 && version != kJsonVersion) {
      return fail("{} is in a form that this Foretell does not know", name);
    }
    return take(json);
  } catch (const Json::exception& error) {
    return fail("{} is damaged: {}", name, error.what());
  } catch (const UnknownWord& unknown) {
    return fail("{} has a {} that this Foretell does not know: '{}'", name, unknown.what,
                unknown.word);
  }
}

}  // namespace

Result<Finding> read_finding(const std::string& path, const std::string& id) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse_json<Finding>(file.bytes(), path, [&](const Json& json) -> Result<Finding> {
    std::string known;
    for (const char* list : {"findings", "dismissed"}) {
      for (const Json& each : json.value(list, Json::array())) {
        if (each.at("id") == id) {
          return list == std::string_view("dismissed") ? dismissed_of(each) : finding_of(each);
        }
        if (!known.empty()) known += ", ";
        known += each.at("id").get<std::string>();
      }
    }
    Diagnostic diagnostic{fmt::format("there is no finding '{}' in {}", id, path), ""};
    diagnostic.notes.push_back(known.empty() ? "that run has no findings" : "it has " + known);
    return std::unexpected(std::move(diagnostic));
  });
}

Result<AnalysisResult> read_findings(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse_findings(file.bytes(), path);
}

Result<AnalysisResult> parse_findings(std::string_view text, const std::string& name) {
  return parse_json<AnalysisResult>(text, name, result_of);
}

}  // namespace foretell::finding
