// SPDX-License-Identifier: Apache-2.0

#include "cli/finding_names.h"

#include <unistd.h>

#include <filesystem>

#include "base/input_file.h"
#include "base/output.h"
#include "report/remembered_names.h"

namespace foretell::cli {

Result<void> name_findings(const launch::RunDirectory& directory, const launch::BuildId& build,
                           finding::AnalysisResult& result) {
  const std::string path = directory.names();
  if (path.empty()) return {};
  const auto known = InputFile::open(path);
  auto names = report::RememberedNames::parse(known ? known->bytes() : std::string_view());
  names.apply(result, build.hash);
  const std::string fresh = fmt::format("{}-{}", path, ::getpid());
  if (auto done = write_text(fresh, names.to_text()); !done) return done;
  std::error_code error;
  std::filesystem::rename(fresh, path, error);
  if (error) return fail("cannot write {}: {}", path, error.message());
  return {};
}

}  // namespace foretell::cli
