// SPDX-License-Identifier: Apache-2.0

#include "finding/json_writer.h"

#include <nlohmann/json.hpp>

namespace foretell::finding {
namespace {

using Json = nlohmann::ordered_json;

Json event_json(const DescribedEvent& e) {
  Json json = {{"index", to_index(e.index)}, {"thread", e.thread}, {"op", word_of(e.operation)}};
  if (!e.thread_name.empty()) json["thread_name"] = e.thread_name;
  if (!e.object.empty()) json["object"] = e.object;
  json["site"] = e.site;
  if (!e.function.empty()) json["function"] = e.function;
  if (!e.expression.empty()) json["expression"] = e.expression;
  Json locks = Json::array();
  for (const HeldLock& lock : e.locks) {
    locks.push_back({{"lock", lock.name}, {"shared", lock.shared}});
    if (!lock.site.empty()) locks.back()["site"] = lock.site;
  }
  json["locks"] = std::move(locks);
  if (e.value) json["value"] = static_cast<int64_t>(*e.value);
  for (const StackFrame& frame : e.stack) {
    json["stack"].push_back({{"function", frame.function}, {"site", frame.site}});
  }
  return json;
}

// Up to this many events a witness is written out; a longer one says where its recorded part ends.
constexpr uint64_t kMostIndices = 1'000'000;

void put_witness(const Witness& witness, Json& json) {
  Json indices = Json::array();
  if (witness.prefix_end <= kMostIndices) {
    for (uint64_t i = 0; i < witness.prefix_end; ++i) indices.push_back(i);
    if (witness.prefix_end > 0) json["witness_as_recorded"] = witness.prefix_end;
  } else {
    json["witness_prefix"] = witness.prefix_end;
  }
  for (EventIndex index : witness.steps) indices.push_back(to_index(index));
  json["witness"] = std::move(indices);
}

Json recorded_json(const RecordedOrder& order) {
  Json json = {{"ordered", order.kind == RecordedOrder::Kind::ordered},
               {"steps_between", order.steps_between}};
  Json path = Json::array();
  for (const OrderEdge& edge : order.path) {
    path.push_back({{"from", event_json(edge.from)},
                    {"to", event_json(edge.to)},
                    {"lock", edge.lock},
                    {"by_chance", edge.is_broken}});
  }
  json["path"] = std::move(path);
  return json;
}

Json tests_json(const std::vector<SeenIn>& tests) {
  Json json = Json::array();
  for (const SeenIn& seen : tests) {
    json.push_back({{"test", seen.test},
                    {"case", seen.test_case},
                    {"program", seen.program},
                    {"run", seen.run}});
  }
  return json;
}

// What only one kind has: the keys before the events, and those after the witness.

void put_first(const RaceFinding&, Json&) {}
void put_first(const DeadlockFinding& deadlock, Json& json) {
  json["cycle"] = deadlock.is_cycle;
}
void put_first(const AtomicityFinding& violation, Json& json) {
  json["blocks"] = violation.blocks;
  json["pattern"] = word_of(violation.pattern);
}
void put_first(const NondeterminismFinding&, Json&) {}
void put_first(const PropertyFinding&, Json&) {}

void put_last(const Finding&, const RaceFinding& race, Json& json) {
  if (race.recorded.kind != RecordedOrder::Kind::unknown) {
    json["recorded"] = recorded_json(race.recorded);
  }
  for (const DescribedEvent& e : race.missing_order) json["missing_order"].push_back(event_json(e));
}
void put_last(const Finding&, const DeadlockFinding&, Json&) {}
void put_last(const Finding&, const AtomicityFinding&, Json&) {}
void put_last(const Finding& f, const NondeterminismFinding& read, Json& json) {
  if (!read.seen_write) return;
  json["recorded"] = recorded_json(
      {.kind = RecordedOrder::Kind::ordered, .path = {{*read.seen_write, f.events[0]}}});
}
void put_last(const Finding&, const PropertyFinding&, Json&) {}

Json finding_json(const Finding& f) {
  Json json = {{"id", f.id},
               {"kind", word_of(f.kind())},
               {"analyses", f.analyses},
               {"verdict", word_of(f.verdict)},
               {"location", f.name()}};
  if (!f.fingerprint.empty()) json["fingerprint"] = f.fingerprint;
  std::visit([&](const auto& details) { put_first(details, json); }, f.details);
  json["events"] = Json::array();
  for (const DescribedEvent& e : f.events) json["events"].push_back(event_json(e));
  for (const DescribedEvent& e : f.origins) json["origins"].push_back(event_json(e));
  if (f.witness) {
    put_witness(*f.witness, json);
    json["steps"] = Json::array();
    for (const DescribedEvent& e : f.witness->last_steps) json["steps"].push_back(event_json(e));
  } else {
    json["witness"] = nullptr;
  }
  if (f.reads != trace::ReadDemand::same_writer) json["reads"] = word_of(f.reads);
  if (!f.reason.empty()) json["reason"] = f.reason;
  std::visit([&](const auto& details) { put_last(f, details, json); }, f.details);
  if (!f.schedule_file.empty()) json["schedule"] = f.schedule_file;
  if (f.schedule) json["schedule_string"] = f.schedule->to_string();
  if (!f.replay.empty()) json["replay"] = f.replay;
  if (!f.consequence.empty()) json["consequence"] = f.consequence;
  json["occurrences"] = f.occurrences;
  if (f.suppressed) {
    json["suppressed"] = {{"rule", f.suppressed->rule}, {"reason", f.suppressed->reason}};
  }
  if (f.baseline != BaselineState::none) json["baseline"] = word_of(f.baseline);
  if (!f.seen_in.empty()) json["tests"] = tests_json(f.seen_in);
  return json;
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  Json json = Json::array();
  for (const Diagnostic& d : diagnostics) {
    json.push_back({{"message", d.message}, {"where", d.where}});
    if (!d.notes.empty()) json.back()["notes"] = d.notes;
  }
  return json;
}

Json stats_json(const AnalysisResult& result) {
  Json analyses = Json::array();
  for (const AnalysisStats& a : result.stats) {
    Json rules = Json::object();
    for (const RuleCount& r : a.rules) rules[r.rule] = r.times;
    analyses.push_back({{"name", a.name}, {"seconds", a.seconds}, {"rules", std::move(rules)}});
  }
  Json phases = Json::object();
  for (const PhaseTime& p : result.phases) phases[p.name] = p.seconds;
  return {
      {"phases", std::move(phases)},
      {"conversions",
       {{"decoded", result.conversions.decoded}, {"normalized", result.conversions.normalized}}},
      {"analyses", std::move(analyses)}};
}

Json absent_json(const std::vector<AbsentFinding>& findings) {
  Json json = Json::array();
  for (const AbsentFinding& f : findings) {
    json.push_back({{"fingerprint", f.fingerprint}, {"kind", word_of(f.kind)}, {"text", f.text}});
  }
  return json;
}

}  // namespace

std::string to_json(const AnalysisResult& result, const JsonOptions& options) {
  Json json = {{"foretell", kJsonVersion},
               {"trace",
                {{"name", result.trace.name},
                 {"events", result.trace.events},
                 {"threads", result.trace.threads},
                 {"locks", result.trace.locks},
                 {"locations", result.trace.locations}}}};
  if (!result.trace.unchecked.empty()) json["trace"]["unchecked"] = result.trace.unchecked;
  if (!result.trace.programs.empty()) json["trace"]["programs"] = result.trace.programs;
  for (const RanTest& ran : result.trace.tests) {
    json["trace"]["tests"].push_back({{"test", ran.test}, {"cases", ran.cases}});
  }
  json["findings"] = Json::array();
  for (const Finding& f : result.findings) json["findings"].push_back(finding_json(f));
  json["dismissed"] = Json::array();
  for (const Finding& f : result.dismissed) json["dismissed"].push_back(finding_json(f));
  if (!result.fixed.empty()) json["fixed"] = absent_json(result.fixed);
  if (!result.not_run.empty()) json["not_run"] = absent_json(result.not_run);
  if (!result.inferred.empty()) {
    json["could_be_atomic"] = Json::array();
    for (const InferredBlock& block : result.inferred) {
      json["could_be_atomic"].push_back(
          {{"function", block.function}, {"calls", block.calls}, {"shared", block.shared}});
    }
  }
  json["warnings"] = diagnostics_json(result.warnings);
  if (!result.notes.empty()) json["notes"] = diagnostics_json(result.notes);
  if (options.stats) json["stats"] = stats_json(result);
  // Names come from the program under test and may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell::finding
