// SPDX-License-Identifier: Apache-2.0

#include "report/determinism_json.h"

#include <nlohmann/json.hpp>

#include "report/determinism_names.h"
#include "report/determinism_table.h"

namespace foretell::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(DeterminismVerdict verdict) {
  switch (verdict) {
    case DeterminismVerdict::not_deterministic:
      return "not_deterministic";
    case DeterminismVerdict::undecided:
      return "undecided";
    case DeterminismVerdict::same_values:
      return "same_values";
    case DeterminismVerdict::deterministic:
      return "deterministic";
  }
  return "";
}

Json event_json(const DeterminismNames& names, judge::Position p) {
  const trace::Event& e = names.trace().events[p];
  return {{"index", to_index(e.index)},
          {"thread", names.trace().tables.threads[e.thread]},
          {"site", e.site == kNoSite ? Json() : Json(names.place(e))}};
}

// The write is null for what the location holds before all writes.
Json seen_json(const DeterminismNames& names, LocationId location, judge::Position writer) {
  const std::optional<uint64_t> value = names.value(location, writer);
  return {{"write", writer == judge::kNoPosition ? Json() : event_json(names, writer)},
          {"value", value ? Json(static_cast<int64_t>(*value)) : Json()}};
}

Json read_json(const DeterminismNames& names, const analysis::ReadOutcome& read, bool is_paper) {
  Json others = Json::array();
  for (const analysis::OtherWrite& other : read.others) {
    Json seen = seen_json(names, read.location, other.writer);
    seen["decided"] = other.outcome != judge::JudgeOutcome::gave_up;
    if (is_paper) {
      Json& orders = seen["orders"] = Json::array();
      for (analysis::WitnessOrder order : analysis::WitnessOrders::kAll) {
        if (other.orders.contains(order)) orders.push_back(static_cast<int>(order));
      }
    }
    others.push_back(std::move(seen));
  }
  return {{"variable", names.variable(read)},
          {"location", names.trace().location_name(read.location)},
          {"read", read.read == judge::kNoPosition ? Json() : event_json(names, read.read)},
          {"harmless", read.is_harmless},
          {"returned", seen_json(names, read.location, read.recorded)},
          {"can_return", std::move(others)}};
}

Json witnesses_json(const analysis::WitnessCounts& counts, double seconds) {
  return {{"possible", counts.possible},
          {"feasible", counts.feasible},
          {"infeasible", counts.infeasible()},
          {"gave_up", counts.gave_up},
          {"seconds", seconds}};
}

Json choices_json(const analysis::WitnessCounts& counts) {
  return {{"cycle", counts.cycles},
          {"no_choice", counts.no_choice},
          {"choice", counts.with_choice},
          {"possible_choice_graphs", counts.possible_choice_graphs},
          {"explored_choice_graphs", counts.explored_choice_graphs},
          {"graphs_per_witness", counts.graphs_per_witness()}};
}

Json category_json(std::string_view name, const DeterminismSummary::Category& category) {
  Json row = {{"category", name}, {"traces", category.traces}};
  row["witnesses"] = witnesses_json(category.witnesses, category.seconds);
  row["choices"] = choices_json(category.choices);
  return row;
}

}  // namespace

struct DeterminismJson::Document {
  bool is_paper, counts_choices;
  Json json;
};

DeterminismJson::DeterminismJson(analysis::DeterminismOptions::Mode mode, bool counts_choices) {
  const bool is_paper = mode == analysis::DeterminismOptions::Mode::paper;
  document_ = std::make_unique<Document>(Document{is_paper, counts_choices, {}});
  document_->json = {
      {"foretell", 1}, {"mode", is_paper ? "paper" : "exact"}, {"traces", Json::array()}};
}

DeterminismJson::~DeterminismJson() = default;

void DeterminismJson::add(std::string_view name, const trace::Trace& trace,
                          const analysis::DeterminismResult& result, std::string_view directory) {
  const DeterminismNames names(trace, directory);
  const OutcomeCounts counts = count_outcomes(result);
  Json row = {{"trace", name},
              {"verdict", name_of(counts.verdict)},
              {"reads_examined", result.examined},
              {"locations_examined", result.examined_at_end},
              {"not_examined", result.not_examined},
              {"reads", Json::array()}};
  for (const analysis::ReadOutcome& read : result.reads) {
    row["reads"].push_back(read_json(names, read, document_->is_paper));
  }
  if (document_->is_paper) row["witnesses"] = witnesses_json(result.witnesses, result.seconds);
  if (document_->counts_choices) {
    row["choices"] = choices_json(result.choices);
    row["not_counted"] = result.not_counted;
  }
  document_->json["traces"].push_back(std::move(row));
}

void DeterminismJson::add(const DeterminismSummary& summary) {
  document_->json["summary"] = {
      category_json("phase_one_sufficient", summary.phase_one_sufficient()),
      category_json("both_phases_required", summary.both_phases_required())};
}

std::string DeterminismJson::text() const {
  // Names may be any bytes.
  return document_->json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace foretell::report
