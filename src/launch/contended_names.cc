// SPDX-License-Identifier: Apache-2.0

#include "launch/contended_names.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/input_file.h"
#include "base/output.h"
#include "base/split.h"
#include "recording/contended.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;

// Builds that are remembered; the one that was not run for longest is forgotten first.
constexpr size_t kMostBuilds = 64;

void forget_oldest(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    files.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (files.size() <= kMostBuilds) return;
  std::ranges::sort(files);
  for (size_t i = 0; i + kMostBuilds < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

Result<FoundNames> read_found_names(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  FoundNames found;
  bool is_title = true;
  for (std::string_view line : split(file.bytes(), '\n')) {
    if (is_title && line != recording::kContendedTitle) {
      return fail("{} is not a list of contended memory", path);
    }
    if (line.starts_with("found ")) {
      found.is_all = line == "found 0";
    } else if (line == "unfinished") {
      found.shortfall = "the program was killed before it could say what is contended";
    } else if (line == "gave-up") {
      found.shortfall =
          "more threads lived at once, or memory lies farther apart, than can be watched";
    } else if (line.starts_with("unnamed ")) {
      found.shortfall = "some of the contended memory has no name that lasts";
    } else if (!is_title && !line.empty()) {
      found.names.emplace(line);
    }
    is_title = false;
  }
  return found;
}

Result<void> write_names(const std::set<std::string>& names, const std::string& path) {
  std::string text = fmt::format("{}\n", recording::kContendedTitle);
  for (const std::string& line : names) text += line + '\n';
  return write_text(path, text);
}

std::optional<std::set<std::string>> remembered_names(const std::string& folder,
                                                      const BuildId& build) {
  if (folder.empty()) return {};
  const std::string path = folder + '/' + build.hash;
  if (::access(path.c_str(), R_OK) != 0) return {};
  auto found = read_found_names(path);
  // A damaged file is as good as none.
  if (!found) return {};
  return std::move(found->names);
}

Result<void> remember_names(const std::string& folder, const BuildId& build,
                            const std::set<std::string>& names) {
  if (folder.empty()) return {};
  constexpr mode_t kPrivate = S_IRWXU;
  ::mkdir(folder.c_str(), kPrivate);
  const std::string path = folder + '/' + build.hash;
  const std::string fresh = fmt::format("{}-{}", path, ::getpid());
  if (auto done = write_names(names, fresh); !done) return done;
  std::error_code error;
  fs::rename(fresh, path, error);
  if (error) return fail("cannot write {}: {}", path, error.message());
  forget_oldest(folder);
  return {};
}

}  // namespace foretell::launch
