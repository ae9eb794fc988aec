#include "replay/finding_file.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/registry.h"
#include "base/input_file.h"
#include "schedule/schedule.h"

namespace foretell {
namespace {

using Json = nlohmann::ordered_json;

Verdict verdict_of(const std::string& word) {
  using enum Verdict;
  for (Verdict verdict : {confirmed, predicted}) {
    if (word == word_of(verdict)) return verdict;
  }
  return possible;
}

DescribedEvent event_of(const Json& json) {
  DescribedEvent e;
  e.index = EventIndex{json.at("index").get<uint64_t>()};
  json.at("thread").get_to(e.thread);
  json.at("op").get_to(e.operation);
  e.thread_name = json.value("thread_name", "");
  e.object = json.value("object", "");
  e.site = json.value("site", "");
  e.function = json.value("function", "");
  e.expression = json.value("expression", "");
  for (const Json& lock : json.value("locks", Json::array())) {
    e.locks.push_back({lock.at("lock"), lock.at("shared"), lock.value("site", "")});
  }
  if (json.contains("value")) e.value = static_cast<uint64_t>(json.at("value").get<int64_t>());
  return e;
}

RecordedOrder recorded_of(const Json& json) {
  using enum RecordedOrder::Kind;
  RecordedOrder order{.kind = json.at("ordered").get<bool>() ? ordered : unordered};
  json.at("steps_between").get_to(order.steps_between);
  for (const Json& edge : json.at("path")) {
    order.path.push_back({event_of(edge.at("from")), event_of(edge.at("to")), edge.at("lock"),
                          edge.at("by_chance")});
  }
  return order;
}

Schedule schedule_of(const std::string& text) {
  auto schedule = parse_schedule(text);
  if (!schedule) throw std::runtime_error(schedule.error().message);
  return *std::move(schedule);
}

Finding finding_of(const Json& json) {
  Finding finding;
  json.at("id").get_to(finding.id);
  finding.kind = finding_kind(json.at("kind").get<std::string>()).value_or(FindingKind::race);
  finding.verdict = verdict_of(json.at("verdict"));
  json.at("location").get_to(finding.location);
  for (const Json& name : json.value("analyses", Json::array())) {
    for (const AnalysisEntry& known : all_analyses()) {
      if (name == known.name) finding.analyses.push_back(known.name);
    }
  }
  finding.blocks = json.value("blocks", std::vector<std::string>());
  finding.pattern = json.value("pattern", "");
  finding.reason = json.value("reason", "");
  finding.replay = json.value("replay", "");
  finding.consequence = json.value("consequence", "");
  finding.schedule_file = json.value("schedule", "");
  if (json.contains("schedule_string")) finding.schedule = schedule_of(json.at("schedule_string"));
  finding.fingerprint = json.value("fingerprint", "");
  finding.occurrences = json.value("occurrences", uint64_t{1});
  finding.is_cycle = json.value("cycle", false);
  if (json.contains("suppressed")) {
    const Json& by = json.at("suppressed");
    finding.suppressed = SuppressedBy{by.at("rule"), by.at("reason")};
  }
  for (const Json& seen : json.value("tests", Json::array())) {
    finding.seen_in.push_back(
        {seen.at("test"), seen.at("case"), seen.value("program", ""), seen.at("run")});
  }
  for (const Json& event : json.at("events")) finding.events.push_back(event_of(event));
  if (json.contains("recorded")) finding.recorded = recorded_of(json.at("recorded"));
  if (json.at("witness").is_null()) return finding;
  Witness& witness = finding.witness.emplace();
  witness.prefix_end = json.value("witness_prefix", uint64_t{0});
  for (const Json& index : json.at("witness")) {
    witness.steps.push_back(EventIndex{index.get<uint64_t>()});
  }
  for (const Json& step : json.value("steps", Json::array())) {
    witness.last_steps.push_back(event_of(step));
  }
  return finding;
}

// What is read reports by exceptions; none leaves this function.
template <class T>
Result<T> read_json(const std::string& path, auto take) {
  FORETELL_TRY(file, InputFile::open(path));
  try {
    const Json json = Json::parse(file.bytes());
    if (json.at("foretell") != 1) {
      return fail("{} is in a form that this Foretell does not know", path);
    }
    return take(json);
  } catch (const std::exception& error) {
    return fail("{} is damaged: {}", path, error.what());
  }
}

}  // namespace

Result<Finding> read_finding(const std::string& path, const std::string& id) {
  return read_json<Finding>(path, [&](const Json& json) -> Result<Finding> {
    std::string known;
    constexpr std::string_view kDismissed = "dismissed";
    for (std::string_view list : {std::string_view("findings"), kDismissed}) {
      for (const Json& finding : json.value(list, Json::array())) {
        if (finding.at("id") == id) {
          Finding found = finding_of(finding);
          found.is_dismissed = list == kDismissed;
          return found;
        }
        if (!known.empty()) known += ", ";
        known += finding.at("id").get<std::string>();
      }
    }
    Diagnostic diagnostic{fmt::format("there is no finding '{}' in {}", id, path), ""};
    diagnostic.notes.push_back(known.empty() ? "that run has no findings" : "it has " + known);
    return std::unexpected(std::move(diagnostic));
  });
}

Result<AnalysisResult> read_findings(const std::string& path) {
  return read_json<AnalysisResult>(path, [](const Json& json) {
    AnalysisResult result;
    const Json& trace = json.at("trace");
    trace.at("name").get_to(result.trace.name);
    trace.at("events").get_to(result.trace.events);
    trace.at("threads").get_to(result.trace.threads);
    trace.at("locks").get_to(result.trace.locks);
    trace.at("locations").get_to(result.trace.locations);
    result.trace.programs = trace.value("programs", std::vector<std::string>());
    for (const Json& ran : trace.value("tests", Json::array())) {
      result.trace.tests.push_back({ran.at("test"), ran.at("cases")});
    }
    for (const Json& finding : json.at("findings")) {
      result.findings.push_back(finding_of(finding));
    }
    for (const Json& finding : json.value("dismissed", Json::array())) {
      result.dismissed.push_back(finding_of(finding));
      result.dismissed.back().is_dismissed = true;
    }
    for (const Json& warning : json.value("warnings", Json::array())) {
      result.warnings.push_back({warning.at("message"), warning.value("where", "")});
    }
    return result;
  });
}

}  // namespace foretell
