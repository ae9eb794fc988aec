// SPDX-License-Identifier: Apache-2.0

#include "cli/trace_reports.h"

#include <algorithm>
#include <filesystem>

#include "base/output.h"
#include "cli/command.h"
#include "report/html.h"
#include "report/html_index.h"
#include "report/perfetto.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

// "out/report-812.html" for the process processes/812, "out/report-1.html" for the first run.
std::string file_of(const std::string& file, const ReportedTrace& trace) {
  const fs::path path(file);
  const std::string run = trace.run.empty() ? "1" : fs::path(trace.run).filename().string();
  const std::string name = path.stem().string() + '-' + run + path.extension().string();
  return (path.parent_path() / name).string();
}

Result<void> check_can_be_many(const std::vector<ReportedTrace>& traces, const std::string& file) {
  if (traces.size() == 1 || file != "-") return {};
  return usage_error(
      "{} processes have findings, and each gets its own file: name a file instead of -",
      traces.size());
}

const finding::AnalysisResult& result_of(const ReportedTrace& trace,
                                         const finding::AnalysisResult& all) {
  return trace.result ? *trace.result : all;
}

}  // namespace

std::string working_directory() {
  std::error_code ignored;
  return fs::current_path(ignored).string();
}

Result<std::string> html_page(const finding::AnalysisResult& result, const ReportedTrace& trace,
                              const HtmlChoice& choice) {
  report::HtmlOptions options{.version = FORETELL_VERSION,
                              .directory = working_directory(),
                              .finding = choice.finding,
                              .facts = trace.facts};
  if (choice.whole_events != 0) options.limits.whole = choice.whole_events;
  std::error_code error;
  const auto recorded_at = fs::last_write_time(trace.path, error);
  if (!error) options.recorded_at = recorded_at;
  FORETELL_TRY(reader, trace.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  return to_html(result, std::move(stream), options);
}

Result<void> write_html(const finding::AnalysisResult& result,
                        const std::vector<ReportedTrace>& traces, const std::string& file,
                        const HtmlChoice& choice) {
  if (auto done = check_can_be_many(traces, file); !done) return done;
  if (traces.size() == 1) {
    FORETELL_TRY(page, html_page(result_of(traces[0], result), traces[0], choice));
    return write_text(file, page);
  }
  std::map<std::string, std::string> pages;  // by run
  for (const ReportedTrace& trace : traces) {
    const std::string path = file_of(file, trace);
    FORETELL_TRY(page, html_page(result_of(trace, result), trace, choice));
    if (auto done = write_text(path, page); !done) return done;
    pages[trace.run] = fs::path(path).filename().string();
  }
  return write_text(file, report::to_html_index(result, pages, working_directory()));
}

Result<void> write_perfetto(const finding::AnalysisResult& result,
                            const std::vector<ReportedTrace>& traces, const std::string& file,
                            std::vector<Diagnostic>& left_out) {
  if (auto done = check_can_be_many(traces, file); !done) return done;
  if (traces.empty()) left_out.push_back({"no process has findings: nothing to draw", file});
  for (const ReportedTrace& trace : traces) {
    FORETELL_TRY(reader, trace.open());
    FORETELL_TRY(text, report::to_perfetto(*reader, result_of(trace, result), {}, left_out));
    const std::string path = traces.size() == 1 ? file : file_of(file, trace);
    if (auto done = write_text(path, text); !done) return done;
  }
  return {};
}

}  // namespace foretell::cli
