// SPDX-License-Identifier: Apache-2.0

// Reports that show the events of traces: the HTML page and the Perfetto timeline.
//
// A report of one trace is one file. `foretell test` has many: each trace gets a file of its own,
// "report-PROCESS.html" beside "report.html", which then lists the findings and links to them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell::cli {

struct ReportedTrace {
  std::string path;
  std::function<Result<std::unique_ptr<trace::TraceReader>>()> open;
  std::vector<std::pair<std::string, std::string>> facts = {};  // of the run: "command", "./bank 3"
  std::string run = {};  // `foretell test`: folder of the process, as SeenIn has it
  // Its own part of the findings, where the report has those of several traces.
  std::optional<finding::AnalysisResult> result = {};
};

struct HtmlChoice {
  std::string finding = {};   // the one to open the page with; empty: the first
  uint64_t whole_events = 0;  // longer traces are cut; 0: the usual limit
};

// The page of one trace.
Result<std::string> html_page(const finding::AnalysisResult& result, const ReportedTrace& trace,
                              const HtmlChoice& choice = {});

Result<void> write_html(const finding::AnalysisResult& result,
                        const std::vector<ReportedTrace>& traces, const std::string& file,
                        const HtmlChoice& choice = {});

// What the format leaves out is added to `left_out`.
Result<void> write_perfetto(const finding::AnalysisResult& result,
                            const std::vector<ReportedTrace>& traces, const std::string& file,
                            std::vector<Diagnostic>& left_out);

// Empty if it is gone: then no path is shortened.
std::string working_directory();

}  // namespace foretell::cli
