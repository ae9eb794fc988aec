// SPDX-License-Identifier: Apache-2.0

#include "cli/finding_names.h"

#include <unistd.h>

#include <filesystem>
#include <tuple>

#include "base/input_file.h"
#include "base/output.h"
#include "finding/json_reader.h"
#include "report/remembered_names.h"

namespace foretell::cli {

namespace {

namespace fs = std::filesystem;

// Where a build would stand, for findings of test runs.
constexpr const char* kTests = "tests";

// Names the findings as the file at `path` has them, and adds to it those it does not have.
Result<void> name_by_file(const std::string& path, const std::string& build,
                          finding::AnalysisResult& result) {
  const auto known = InputFile::open(path);
  auto names = report::RememberedNames::parse(known ? known->bytes() : std::string_view());
  names.apply(result, build);
  const std::string fresh = fmt::format("{}-{}", path, ::getpid());
  if (auto done = write_text(fresh, names.to_text()); !done) return done;
  std::error_code error;
  fs::rename(fresh, path, error);
  if (error) return fail("cannot write {}: {}", path, error.message());
  return {};
}

}  // namespace

Result<void> name_findings(const launch::RunDirectory& directory, const launch::BuildId& build,
                           finding::AnalysisResult& result) {
  const std::string path = directory.names();
  return path.empty() ? Result<void>() : name_by_file(path, build.hash, result);
}

Result<void> name_test_findings(const launch::RunDirectory& directory,
                                finding::AnalysisResult& result) {
  const std::string path = directory.names();
  return path.empty() ? Result<void>() : name_by_file(path, kTests, result);
}

void name_trace_findings(const std::string& trace, finding::AnalysisResult& result) {
  std::error_code error;
  const fs::path folder = fs::absolute(trace, error).parent_path();
  const fs::path names = fs::canonical(folder, error).parent_path() / "names";
  if (error || !fs::exists(names, error)) return;
  const auto directory = launch::RunDirectory::open(folder.string());
  if (!directory) return;
  const auto info = directory->info();
  if (!info) return;
  // A folder that cannot be written to gives the names all the same.
  std::ignore = name_by_file(names.string(), info->build.hash, result);
}

std::vector<std::string> names_in_latest_run() {
  std::vector<std::string> names;
  const auto result = finding::read_findings(".foretell/latest/findings.json");
  if (!result) return names;
  for (const finding::Finding& f : result->findings) {
    if (f.verdict != finding::Verdict::possible && !f.suppressed) names.push_back(f.id);
  }
  return names;
}

}  // namespace foretell::cli
