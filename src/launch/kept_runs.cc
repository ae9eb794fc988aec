// SPDX-License-Identifier: Apache-2.0

#include "launch/kept_runs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launch/run_directory.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLatest = "latest";

// "20240131-235959-001", as RunDirectory names them.
bool is_run_name(std::string_view name) {
  constexpr std::string_view kForm = "dddddddd-dddddd-ddd";
  if (name.size() < kForm.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char form = i < kForm.size() ? kForm[i] : 'd';
    const bool is_digit = name[i] >= '0' && name[i] <= '9';
    if (form == 'd' ? !is_digit : name[i] != form) return false;
  }
  return true;
}

KeptRun::State state_of(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "run.json", ignored)) return KeptRun::State::run;
  if (fs::exists(folder.string() + RunDirectory::kTestFile, ignored)) return KeptRun::State::test;
  return KeptRun::State::unfinished;
}

uint64_t bytes_of(const fs::path& folder) {
  uint64_t blocks = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    struct stat status{};
    if (::lstat(it->path().c_str(), &status) == 0)
      blocks += static_cast<uint64_t>(status.st_blocks);
  }
  return blocks * 512;
}

}  // namespace

Result<std::vector<KeptRun>> kept_runs(const std::string& root) {
  std::vector<KeptRun> runs;
  std::error_code error;
  if (!fs::exists(root, error)) return runs;
  const std::string latest = fs::read_symlink(root + '/' + kLatest, error).string();
  fs::directory_iterator it(root, error);
  if (error) return fail("cannot read {}: {}", root, error.message());
  for (const fs::directory_entry& entry : it) {
    const std::string name = entry.path().filename().string();
    if (!is_run_name(name) || !entry.is_directory(error) || entry.is_symlink(error)) continue;
    runs.push_back({name, state_of(entry.path()), name == latest, bytes_of(entry.path())});
  }
  std::ranges::sort(runs, {}, &KeptRun::name);
  return runs;
}

Result<void> remove_run(const std::string& name, const std::string& root) {
  if (!is_run_name(name)) return fail("'{}' is not the name of a run", name);
  FORETELL_TRY(runs, kept_runs(root));
  const auto run = std::ranges::find(runs, name, &KeptRun::name);
  if (run == runs.end()) return fail("there is no run '{}' in {}", name, root);
  std::error_code error;
  fs::remove_all(fs::path(root) / name, error);
  if (error) return fail("cannot remove {}/{}: {}", root, name, error.message());
  if (!run->is_latest) return {};
  runs.erase(run);
  const auto newest = std::ranges::find_if(runs.rbegin(), runs.rend(), [](const KeptRun& one) {
    return one.state != KeptRun::State::unfinished;
  });
  if (newest == runs.rend()) {
    fs::remove(root + '/' + kLatest, error);
    return {};
  }
  return RunDirectory::make_latest(root, newest->name);
}

}  // namespace foretell::launch
