// SPDX-License-Identifier: Apache-2.0

#include "report/source_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "report/source.h"

namespace foretell::report {
namespace {

namespace fs = std::filesystem;

// What a finding was found in. Newer than everything if that is not known.
struct Built {
  std::string name;
  fs::file_time_type when = fs::file_time_type::max();

  auto operator<=>(const Built&) const = default;
};

// Of a run, the program or trace; of a test run, the program that shows the finding best.
Built built_of(const finding::Finding& finding, const finding::AnalysisResult& result) {
  Built built{result.trace.name};
  std::string file = result.trace.file;
  if (!finding.seen_in.empty()) {
    built.name = finding.seen_in[0].program;
    for (const std::string& program : result.trace.programs) {
      if (fs::path(program).filename() == built.name) file = program;
    }
  }
  std::error_code error;
  const fs::file_time_type when = fs::last_write_time(file, error);
  if (!error) built.when = when;
  return built;
}

}  // namespace

std::vector<Diagnostic> source_notes(const finding::AnalysisResult& result) {
  std::map<std::string, std::set<Built>> files;
  for (const finding::Finding& f : result.findings) {
    if (!f.is_open() || f.verdict == finding::Verdict::possible) continue;
    for (const finding::DescribedEvent& e : f.events) {
      if (const auto place = parse_place(e.site)) files[place->file].insert(built_of(f, result));
    }
  }
  std::vector<Diagnostic> notes;
  for (const auto& [file, programs] : files) {
    std::error_code error;
    const fs::file_time_type written = fs::last_write_time(file, error);
    if (error) {
      notes.push_back({fmt::format("{} is not here, so its lines cannot be shown", file), ""});
      continue;
    }
    const auto older =
        std::ranges::find_if(programs, [&](const Built& b) { return b.when < written; });
    if (older == programs.end()) continue;
    notes.push_back({fmt::format("{} is newer than {}: the lines shown may not be those that ran",
                                 file, older->name),
                     ""});
  }
  return notes;
}

}  // namespace foretell::report
