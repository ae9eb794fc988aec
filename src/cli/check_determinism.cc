// SPDX-License-Identifier: Apache-2.0

#include "cli/check_determinism.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/check_text.h"

namespace foretell::cli {
namespace {

using static_analysis::AccessMode;
using static_analysis::AccessReport;
using static_analysis::Assumption;
using static_analysis::DeterminismResult;
using static_analysis::DeterminismVerdict;
using static_analysis::Nondeterminism;
using static_analysis::NondeterminismReport;
using static_analysis::Place;
using static_analysis::ReductionReport;
using Json = nlohmann::ordered_json;

// A message about everything in one place says where it is; the rest are its notes.
std::string title(const NondeterminismReport& report) {
  return report.kind == Nondeterminism::memory
             ? fmt::format("the value of '{}' may depend on the schedule", report.variable)
             : fmt::format("{} may depend on the schedule", report.variable);
}

std::string text_of(const NondeterminismReport& report) {
  const Place place = report.accesses.empty() ? Place{} : report.accesses.front().place;
  std::string text = fmt::format("{}: warning: {}\n", place_text(place), title(report));
  for (const AccessReport& access : report.accesses)
    text += fmt::format(
        "{}: note: {}\n", place_text(access.place),
        report.kind == Nondeterminism::memory ? deed_of(access) : "executed by " + access.thread);
  text += fmt::format("note: {}\n", report.why);
  if (!report.remedy.empty()) text += fmt::format("help: {}\n", report.remedy);
  return text;
}

const char* name_of(DeterminismVerdict verdict) {
  switch (verdict) {
    case DeterminismVerdict::deterministic:
      return "deterministic";
    case DeterminismVerdict::same_in_any_order:
      return "same result in any order";
    case DeterminismVerdict::weakly_deterministic:
      return "weakly deterministic";
    case DeterminismVerdict::possibly_nondeterministic:
      return "possibly nondeterministic";
  }
  return "";
}

const char* name_of(Nondeterminism kind) {
  switch (kind) {
    case Nondeterminism::memory:
      return "memory";
    case Nondeterminism::result:
      return "result";
    case Nondeterminism::order:
      return "order";
    case Nondeterminism::address:
      return "address";
    case Nondeterminism::exit:
      return "exit";
  }
  return "";
}

const char* name_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return "read";
    case AccessMode::write:
      return "write";
    case AccessMode::update:
      return "update";
  }
  return "";
}

std::string plural(size_t number, const char* one, const char* several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

Json json_of(const Place& place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json json_of(const NondeterminismReport& report) {
  Json accesses = Json::array();
  for (const AccessReport& access : report.accesses) {
    Json one = {{"place", json_of(access.place)},
                {"thread", access.thread},
                {"one_of_several", access.many},
                {"locks", access.locks}};
    if (report.kind == Nondeterminism::memory) {
      one["mode"] = name_of(access.mode);
      one["atomic"] = access.is_atomic;
    }
    accesses.push_back(std::move(one));
  }
  return {{"kind", name_of(report.kind)},
          {"about", report.variable},
          {"accesses", std::move(accesses)},
          {"why", report.why},
          {"remedy", report.remedy}};
}

Json json_of(const std::vector<Assumption>& assumptions) {
  Json list = Json::array();
  for (const Assumption& one : assumptions)
    list.push_back({{"name", one.name}, {"reason", one.reason}, {"place", json_of(one.place)}});
  return list;
}

}  // namespace

std::string observer_of(const static_analysis::DeterminismOptions& options) {
  std::string text = options.weak;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, fmt::join(names, " and "));
  };
  add("of", options.variables);
  add("in", options.threads);
  add("states:", options.states);
  if (options.as_in_paper) text += text.empty() ? "as in the paper" : ", as in the paper";
  return text;
}

std::string determinism_text(const DeterminismResult& result, const std::string& subject,
                             const std::string& observer, bool stats) {
  std::string text;
  for (const NondeterminismReport& report : result.reports) text += text_of(report);
  for (const Assumption& one : result.unaccepted)
    text += fmt::format("{}: warning: {}\nnote: --assume={} accepts it\n", place_text(one.place),
                        one.reason, one.name);
  for (const ReductionReport& one : result.reductions)
    text += fmt::format("{}: note: '{}' is only {}, in any order\n", place_text(one.places.front()),
                        one.variable, one.operation);
  const std::string threads = plural(result.threads, "kind of thread", "kinds of threads");
  switch (result.verdict) {
    case DeterminismVerdict::deterministic:
      text += fmt::format(
          "{}: deterministic: with the same input, every schedule that terminates has the same "
          "result ({})\n",
          subject, threads);
      break;
    case DeterminismVerdict::same_in_any_order:
      text += fmt::format(
          "{}: same result in any order: threads may take turns differently, and the result is the "
          "same ({})\n",
          subject, threads);
      break;
    case DeterminismVerdict::weakly_deterministic:
      text += fmt::format(
          "{}: weakly deterministic ({}): what depends on the schedule looks the same in every one "
          "({})\n",
          subject, observer, threads);
      break;
    case DeterminismVerdict::possibly_nondeterministic:
      text += result.reports.empty()
                  ? fmt::format("{}: not proved: {} would have to be assumed\n", subject,
                                plural(result.unaccepted.size(), "thing", "things"))
                  : fmt::format(
                        "{}: possibly nondeterministic: {} not proved the same in every "
                        "schedule ({})\n",
                        subject, plural(result.reports.size(), "thing is", "things are"), threads);
      break;
  }
  for (const Assumption& one : result.accepted)
    text += fmt::format("note: assumed, as you asked: {} is harmless\n", one.name);
  if (!stats) return text;
  for (const auto& [name, milliseconds] : result.phases)
    text += fmt::format("  {:<12} {:8.2f} ms\n", name, milliseconds);
  text += fmt::format("  {} instructions, {} accesses to shared memory\n", result.instructions,
                      result.accesses);
  return text;
}

std::string determinism_json(const DeterminismResult& result, const std::string& subject,
                             const std::string& observer) {
  Json reports = Json::array(), reductions = Json::array();
  for (const NondeterminismReport& one : result.reports) reports.push_back(json_of(one));
  for (const ReductionReport& one : result.reductions) {
    Json places = Json::array();
    for (const Place& place : one.places) places.push_back(json_of(place));
    reductions.push_back(
        {{"variable", one.variable}, {"operation", one.operation}, {"places", std::move(places)}});
  }
  const bool proved = result.verdict != DeterminismVerdict::possibly_nondeterministic;
  Json json = {{"version", 1},
               {"check", "determinism"},
               {"subject", subject},
               {"verdict", name_of(result.verdict)},
               {"status", proved ? "proved" : "not proved"},
               {"threads", result.threads},
               {"findings", std::move(reports)},
               {"reductions", std::move(reductions)},
               {"not_assumed", json_of(result.unaccepted)},
               {"assumed", json_of(result.accepted)}};
  if (!observer.empty()) json["observer"] = observer;
  return json.dump(2) + "\n";
}

}  // namespace foretell::cli
