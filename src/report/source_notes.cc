#include "report/source_notes.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "report/source.h"

namespace foretell {

std::vector<Diagnostic> source_notes(const AnalysisResult& result) {
  namespace fs = std::filesystem;
  std::set<std::string> files;
  for (const Finding& f : result.findings) {
    if (!f.is_open() || f.verdict == Verdict::possible) continue;
    for (const DescribedEvent& e : f.events) {
      if (const auto place = parse_place(e.site)) files.insert(place->file);
    }
  }
  std::error_code error;
  const bool has_age = !result.trace.file.empty();
  const fs::file_time_type built = fs::last_write_time(result.trace.file, error);
  const bool knows_age = has_age && !error;
  std::vector<Diagnostic> notes;
  for (const std::string& file : files) {
    const fs::file_time_type written = fs::last_write_time(file, error);
    if (error) {
      notes.push_back({fmt::format("{} is not here, so its lines cannot be shown", file), ""});
    } else if (knows_age && written > built) {
      notes.push_back({fmt::format("{} is newer than {}: the lines shown may not be those that ran",
                                   file, result.trace.name),
                       ""});
    }
  }
  return notes;
}

}  // namespace foretell
