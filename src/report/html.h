// SPDX-License-Identifier: Apache-2.0

// The HTML report: one file that needs nothing else, neither network nor checkout.
//
// The page is the viewer (web/, built into the program) with the data of the run put into its one
// <script type="application/json">: findings, the events of the trace, what happens before what,
// and the source. Every string of the program under test travels as JSON whose '<' is escaped, so
// none can end the element; the viewer only ever shows strings as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finding/result.h"
#include "report/html/kept_events.h"
#include "trace/stream.h"

namespace foretell::report {

struct HtmlOptions {
  std::string version;    // of Foretell
  std::string directory;  // files below it are named as seen from there
  std::string finding;    // the one to open the page with; empty: the first
  std::vector<std::pair<std::string, std::string>> facts;  // of the run: "command", "./bank 3"
  std::optional<std::filesystem::file_time_type> recorded_at;
  html::KeepLimits limits;
};

// `stream` is that of the analyzed trace.
Result<std::string> to_html(const finding::AnalysisResult& result, trace::TraceStream stream,
                            const HtmlOptions& options);

// The data alone, as JSON.
Result<std::string> html_data(const finding::AnalysisResult& result, trace::TraceStream stream,
                              const HtmlOptions& options);

}  // namespace foretell::report
