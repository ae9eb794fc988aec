// SPDX-License-Identifier: Apache-2.0

#include "report/html.h"

#include <algorithm>

#include "base/check.h"
#include "finding/json_writer.h"
#include "report/deadlock_text.h"
#include "report/html/bytes.h"
#include "report/html/source_files.h"
#include "report/html/trace_columns.h"
#include "report/html/viewer.h"
#include "report/remedy.h"
#include "report/source.h"
#include "report/summary.h"
#include "report/why_hidden.h"

namespace foretell::report {
namespace {

using html::Json;
using html::TraceColumns;

// A predicted schedule, by rows: all rows before `prefix` as recorded, then runs. A run is a step's
// number, a row, and how many more rows follow in both. Steps that are not kept leave gaps.
Json schedule_json(const finding::Witness& witness, const TraceColumns& columns) {
  uint64_t prefix = witness.prefix_end;
  size_t at = 0;
  while (at < witness.steps.size() && to_index(witness.steps[at]) == prefix) ++prefix, ++at;

  html::ByteWriter bytes;
  uint64_t runs = 0, last_row = 0, last_number = 0;
  uint64_t number = prefix;
  while (at < witness.steps.size()) {
    const uint64_t index = to_index(witness.steps[at]);
    if (!columns.has_row(index)) {
      ++at, ++number;
      continue;
    }
    const uint64_t row = columns.row_at(index);
    uint64_t length = 1;
    while (at + length < witness.steps.size() && row + length < columns.rows.size() &&
           columns.rows[row + length] == to_index(witness.steps[at + length])) {
      ++length;
    }
    bytes.put(number - last_number);
    bytes.put_signed(static_cast<int64_t>(row) - static_cast<int64_t>(last_row));
    bytes.put(length - 1);
    last_number = number;
    last_row = row;
    ++runs;
    at += length;
    number += length;
  }
  return {{"prefix", prefix}, {"runs", runs}, {"bytes", bytes.base64()}, {"steps", number}};
}

Json findings_json(const std::vector<finding::Finding>& findings, const TraceColumns& columns,
                   const HtmlOptions& options) {
  // Keys that the JSON report knows come from there; only the witness travels in another form.
  finding::AnalysisResult plain;
  for (finding::Finding f : findings) {
    f.witness.reset();
    shorten_paths(f, options.directory);
    plain.findings.push_back(std::move(f));
  }
  Json rows = Json::parse(to_json(plain)).at("findings");
  for (size_t i = 0; i < findings.size(); ++i) {
    const finding::Finding& f = findings[i];
    rows[i].erase("witness");
    if (f.witness) rows[i]["predicted"] = schedule_json(*f.witness, columns);
    if (f.schedule) rows[i]["schedule_text"] = f.schedule->to_string();
    if (f.as<finding::RaceFinding>() != nullptr) rows[i]["why"] = why_hidden(f);
    rows[i]["fix"] = remedy_for(plain.findings[i]);
    rows[i]["cycle"] = is_cycle(f);
    if (f.as<finding::DeadlockFinding>() == nullptr) continue;
    rows[i]["headline"] = headline_of(f);
    for (size_t k = 0; k < f.events.size(); ++k) {
      if (waits_for_lock(f.events[k])) continue;
      rows[i]["events"][k]["awaits"] = awaited_text(f.events[k]);
    }
  }
  return rows;
}

std::vector<std::string> sites_of(const finding::AnalysisResult& result) {
  std::vector<std::string> sites;
  for (const auto* list : {&result.findings, &result.dismissed}) {
    for (const finding::Finding& f : *list) {
      for (const finding::DescribedEvent& e : f.events) sites.push_back(e.site);
    }
  }
  return sites;
}

// JSON that may stand in a <script> element.
std::string for_script(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Result<std::string> html_data(const finding::AnalysisResult& result, trace::TraceStream stream,
                              const HtmlOptions& options) {
  stream.restart();
  FORETELL_TRY(kept, html::choose_events(stream, result, options.limits));
  FORETELL_TRY(columns, html::write_columns(stream, kept, result.trace.events));

  Json facts = Json::array();
  for (const auto& [key, value] : options.facts) facts.push_back({key, value});
  Json warnings = Json::array();
  for (const Diagnostic& w : result.warnings) warnings.push_back(w.message);
  Json json = {{"foretell", 1},
               {"version", options.version},
               {"facts", std::move(facts)},
               {"summary",
                {{"name", result.trace.name},
                 {"events", result.trace.events},
                 {"threads", result.trace.threads},
                 {"locks", result.trace.locks},
                 {"locations", result.trace.locations}}},
               {"open", options.finding},
               {"findings", findings_json(result.findings, columns, options)},
               {"dismissed", findings_json(result.dismissed, columns, options)},
               {"warnings", std::move(warnings)},
               {"sources", html::write_sources(columns.files, sites_of(result),
                                               {.directory = options.directory,
                                                .recorded_at = options.recorded_at})},
               {"trace", std::move(columns.json)}};
  return for_script(json);
}

Result<std::string> to_html(const finding::AnalysisResult& result, trace::TraceStream stream,
                            const HtmlOptions& options) {
  FORETELL_TRY(data, html_data(result, std::move(stream), options));
  const std::string_view page = html::viewer_page();
  constexpr std::string_view kPlace = R"(<script type="application/json" id="foretell-data">)";
  const size_t place = page.find(kPlace);
  CHECK(place != std::string_view::npos);
  std::string out(page.substr(0, place + kPlace.size()));
  out += data;
  out += page.substr(place + kPlace.size());
  return out;
}

}  // namespace foretell::report
