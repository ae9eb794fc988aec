// SPDX-License-Identifier: Apache-2.0

#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>

#include "report/fingerprint.h"
#include "report/sarif_kinds.h"
#include "report/sarif_location.h"
#include "report/summary.h"
#include "report/why_hidden.h"

namespace foretell::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view level_of(finding::Verdict verdict) {
  switch (verdict) {
    case finding::Verdict::confirmed:
    case finding::Verdict::unordered:
      return "error";
    case finding::Verdict::predicted:
      return "warning";
    case finding::Verdict::possible:
      return "note";
    case finding::Verdict::dismissed:
      break;
  }
  return "none";
}

double rank_of(finding::Verdict verdict) {
  switch (verdict) {
    case finding::Verdict::confirmed:
      return 90;
    case finding::Verdict::unordered:
      return 80;
    case finding::Verdict::predicted:
      return 60;
    case finding::Verdict::possible:
      return 20;
    case finding::Verdict::dismissed:
      break;
  }
  return -1;
}

// A step with its place in the interleaving.
struct FlowStep {
  const finding::DescribedEvent* event;
  uint64_t order;  // from 1; 0: not known
  bool is_the_point;
};

// The steps of a finding's code flow in their order. Only the end of a long interleaving is there.
std::vector<FlowStep> flow_of(const finding::Finding& f, size_t most) {
  std::vector<FlowStep> flow;
  const finding::WitnessEnd end = witness_end_of(f.kind());
  uint64_t last = 0;
  if (f.witness) {
    const std::vector<finding::DescribedEvent>& steps = f.witness->last_steps;
    const uint64_t all = f.witness->prefix_end + f.witness->steps.size();
    uint64_t order = all - steps.size();
    for (const finding::DescribedEvent& e : steps) flow.push_back({&e, ++order, false});
    last = all;
    if (end == finding::WitnessEnd::at_once && flow.size() >= 2) {
      // Both are about to run: neither comes first.
      flow.back().order = flow[flow.size() - 2].order;
      for (FlowStep& step : std::span(flow).last(2)) step.is_the_point = true;
    }
  }
  // Waits that never end are no steps of the interleaving: all threads of the deadlock are in
  // theirs when it is over. What has no interleaving has its events in no order at all.
  if (end == finding::WitnessEnd::blocked || !f.witness || flow.empty()) {
    for (const finding::DescribedEvent& e : f.events)
      flow.push_back({&e, f.witness ? last + 1 : 0, true});
  } else if (end != finding::WitnessEnd::at_once) {
    for (FlowStep& step : flow) {
      step.is_the_point = std::ranges::any_of(
          f.events, [&](const finding::DescribedEvent& e) { return e.index == step.event->index; });
    }
  }
  if (flow.size() > most) flow.erase(flow.begin(), flow.end() - static_cast<ptrdiff_t>(most));
  return flow;
}

class SarifLog {
 public:
  SarifLog(const finding::AnalysisResult& result, const SarifOptions& options)
      : result_(result),
        options_(options),
        locations_(options.directory,
                   result.trace.file.empty() ? result.trace.name : result.trace.file) {}

  Json write() {
    Json results = Json::array();
    const bool any_suppressed = std::ranges::any_of(
        result_.findings, [](const finding::Finding& f) { return f.suppressed.has_value(); });
    for (const finding::Finding* f : ranked()) results.push_back(result_json(*f, any_suppressed));
    Json run = {{"tool", {{"driver", driver_json()}}},
                {"invocations", Json::array({invocation_json()})},
                {"originalUriBaseIds", base_json()},
                {"columnKind", "unicodeCodePoints"},
                {"results", std::move(results)}};
    if (!result_.fixed.empty()) run["properties"] = {{"fixed", fixed_json()}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

  const std::vector<Diagnostic>& left_out() const { return left_out_; }

 private:
  // The worst first, as many as the limit allows.
  std::vector<const finding::Finding*> ranked() {
    std::vector<const finding::Finding*> all;
    for (const finding::Finding& f : result_.findings) all.push_back(&f);
    std::ranges::sort(all, {}, [](const finding::Finding* f) {
      return std::tuple(!f->is_open(), f->verdict, f);
    });
    const size_t most = options_.limits.results;
    if (all.size() > most) {
      left_out_.push_back(
          {fmt::format("the SARIF file has the {} worst of {} findings: GitHub takes no more", most,
                       all.size()),
           ""});
      all.resize(most);
    }
    return all;
  }

  Json driver_json() const {
    Json rules = Json::array();
    for (const finding::FindingKindRow& rule : finding::finding_kinds()) {
      rules.push_back({{"id", rule.word},
                       {"name", rule.rule},
                       {"shortDescription", {{"text", rule.what}}},
                       {"fullDescription", {{"text", rule.what}}},
                       {"help", {{"text", rule.help}}},
                       {"defaultConfiguration", {{"level", "warning"}}},
                       {"properties", {{"tags", {"concurrency", "correctness"}}}}});
    }
    return {{"name", "Foretell"},
            {"version", options_.version},
            {"semanticVersion", options_.version},
            {"rules", std::move(rules)}};
  }

  Json invocation_json() const {
    Json notifications = Json::array();
    auto put = [&](const std::vector<Diagnostic>& list, std::string_view level) {
      for (const Diagnostic& d : list) {
        const std::string where = d.where.empty() ? "" : d.where + ": ";
        notifications.push_back({{"level", level}, {"message", {{"text", where + d.message}}}});
      }
    };
    put(result_.warnings, "warning");
    put(left_out_, "warning");
    put(result_.notes, "note");
    Json json = {{"executionSuccessful", true}};
    if (!notifications.empty()) json["toolExecutionNotifications"] = std::move(notifications);
    return json;
  }

  Json base_json() const {
    if (options_.directory.empty()) return Json::object();
    return {{SarifLocations::kBase, {{"uri", SarifLocations::folder_uri(options_.directory)}}}};
  }

  Json stack_json(const finding::Finding& f, const finding::DescribedEvent& e) {
    Json frames = Json::array();
    for (const finding::StackFrame& frame : e.stack) {
      finding::DescribedEvent place{.thread = e.thread, .site = frame.site};
      place.function = frame.function;
      Json location = locations_.of(place, "");
      location.erase("message");
      frames.push_back({{"location", std::move(location)}});
    }
    return {{"message", {{"text", event_sentence(f, e)}}}, {"frames", std::move(frames)}};
  }

  Json result_json(const finding::Finding& f, bool any_suppressed) {
    Json json = {{"ruleId", word_of(f.kind())},
                 {"ruleIndex", to_index(f.kind())},
                 {"level", level_of(f.verdict)},
                 {"message", {{"text", message_of(f)}}}};
    Json related = Json::array();
    for (const finding::DescribedEvent& e : f.events) {
      Json location = locations_.of(e, event_sentence(f, e));
      if (&e == &f.events.front()) {
        json["locations"] = Json::array({std::move(location)});
      } else {
        location["id"] = related.size() + 1;
        related.push_back(std::move(location));
      }
    }
    for (const auto* list : {&f.events, &f.origins}) {
      for (const finding::DescribedEvent& e : *list) {
        if (!e.stack.empty()) json["stacks"].push_back(stack_json(f, e));
      }
    }
    if (!related.empty()) json["relatedLocations"] = std::move(related);
    put_flow(f, json);
    json["occurrenceCount"] = std::max<uint64_t>(1, f.occurrences);
    json["rank"] = rank_of(f.verdict);
    put_identity(f.fingerprint, json);
    if (any_suppressed) json["suppressions"] = suppressions_json(f);
    if (f.baseline != finding::BaselineState::none) {
      json["baselineState"] = f.baseline == finding::BaselineState::known ? "unchanged" : "new";
    }
    json["properties"] = properties_json(f);
    return json;
  }

  // A result with baselineState "absent" would be the standard's way, but a code host that does not
  // know baselines would keep its alert open.
  Json fixed_json() const {
    Json list = Json::array();
    for (const finding::AbsentFinding& f : result_.fixed) {
      list.push_back(
          {{"ruleId", word_of(f.kind)}, {"fingerprint", f.fingerprint}, {"text", f.text}});
    }
    return list;
  }

  static void put_identity(const std::string& fingerprint, Json& json) {
    if (fingerprint.empty()) return;
    json["fingerprints"] = {{kFingerprintVersion, fingerprint}};
    // The one key by which GitHub tells whether an alert is an old one.
    json["partialFingerprints"] = {{"primaryLocationLineHash", fingerprint}};
  }

  static Json suppressions_json(const finding::Finding& f) {
    Json list = Json::array();
    if (f.suppressed) {
      Json one = {{"kind", "external"}, {"status", "accepted"}};
      if (!f.suppressed->reason.empty()) one["justification"] = f.suppressed->reason;
      one["properties"] = {{"rule", f.suppressed->rule}};
      list.push_back(std::move(one));
    }
    return list;
  }

  static Json properties_json(const finding::Finding& f) {
    Json json = {{"id", f.id}, {"verdict", word_of(f.verdict)}, {"analyses", f.analyses}};
    if (f.schedule) json["schedule"] = f.schedule->to_string();
    if (!f.replay.empty()) json["replay"] = f.replay;
    if (!f.consequence.empty()) json["consequence"] = f.consequence;
    if (f.reads != trace::ReadDemand::same_writer) json["reads"] = word_of(f.reads);
    if (!f.reason.empty()) json["reason"] = f.reason;
    if (f.baseline == finding::BaselineState::regression) json["baseline"] = "regression";
    for (const finding::SeenIn& seen : f.seen_in) json["tests"].push_back(seen.name());
    return json;
  }

  static std::string message_of(const finding::Finding& f) {
    std::string text = headline_of(f);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    for (const finding::DescribedEvent& e : f.events) {
      text += (&e == &f.events.front() ? ": " : "; ") + event_sentence(f, e);
    }
    text += '.';
    const std::string why = f.witness ? why_hidden(f) : "";
    if (!why.empty()) text += fmt::format(" It did not show because {}.", why);
    if (!f.consequence.empty()) text += fmt::format(" When it happens: {}.", f.consequence);
    return text;
  }

  // Lower ranks go without once the flows of the higher ones fill the file.
  void put_flow(const finding::Finding& f, Json& json) {
    if (flow_bytes_ > options_.limits.flow_bytes) {
      if (flowless_++ == 0) left_out_.push_back({"", ""});
      left_out_.back().message = fmt::format(
          "{} findings are in the SARIF file without their interleavings: GitHub takes no larger "
          "file",
          flowless_);
      return;
    }
    std::vector<std::pair<std::string, Json>> threads;  // in the order they act
    for (const FlowStep& step : flow_of(f, options_.limits.flow_locations)) {
      auto thread = std::ranges::find(threads, step.event->thread,
                                      [](const auto& entry) -> const auto& { return entry.first; });
      if (thread == threads.end()) {
        Json flow = {{"id", step.event->thread},
                     {"message", {{"text", "thread " + thread_text(*step.event)}}},
                     {"locations", Json::array()}};
        threads.emplace_back(step.event->thread, std::move(flow));
        thread = threads.end() - 1;
      }
      thread->second["locations"].push_back(step_json(f, step));
    }
    Json flows = Json::array();
    for (auto& [name, flow] : threads) flows.push_back(std::move(flow));
    Json code_flow = {
        {"message", {{"text", f.witness ? "an interleaving that shows it" : "where it is"}}},
        {"threadFlows", std::move(flows)}};
    flow_bytes_ += code_flow.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    json["codeFlows"] = Json::array({std::move(code_flow)});
  }

  Json step_json(const finding::Finding& f, const FlowStep& step) {
    const finding::DescribedEvent& e = *step.event;
    Json json = {
        {"location", locations_.of(e, step.is_the_point ? event_sentence(f, e) : step_text(e))}};
    std::vector<std::string_view> kinds;
    if (const auto kind = e.operation.kind()) kinds = sarif_kinds(*kind);
    if (step.is_the_point) kinds.push_back("danger");
    if (!kinds.empty()) json["kinds"] = kinds;
    json["importance"] = step.is_the_point ? "essential" : "important";
    if (step.order > 0) json["executionOrder"] = step.order;
    if (e.value) {
      json["state"] = {{e.expression.empty() ? e.object : e.expression,
                        {{"text", fmt::format("{}", static_cast<int64_t>(*e.value))}}}};
    }
    return json;
  }

  const finding::AnalysisResult& result_;
  const SarifOptions& options_;
  SarifLocations locations_;
  std::vector<Diagnostic> left_out_;
  size_t flow_bytes_ = 0;
  size_t flowless_ = 0;
};

}  // namespace

std::string to_sarif(const finding::AnalysisResult& result, const SarifOptions& options,
                     std::vector<Diagnostic>& left_out) {
  SarifLog log(result, options);
  const Json json = log.write();
  left_out.insert(left_out.end(), log.left_out().begin(), log.left_out().end());
  // Names come from the program under test and may be no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell::report
