// SPDX-License-Identifier: Apache-2.0

#include "launch/watched_runs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/input_file.h"
#include "base/output.h"
#include "base/split.h"
#include "recording/contended.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;

// Runs until nothing new is found. A program that is random in what it shares finds more each time.
constexpr size_t kMostRuns = 4;

// Our standard input, which every run is to read from the same place.
class Input {
 public:
  Input() {
    struct stat status{};
    is_open_ = ::fstat(STDIN_FILENO, &status) == 0;
    is_file_ = is_open_ && S_ISREG(status.st_mode);
    is_stream_ = is_open_ && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    if (is_file_) begin_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  }
  bool can_be_read_again() const { return !is_stream_; }
  void rewind() const {
    if (is_file_) ::lseek(STDIN_FILENO, begin_, SEEK_SET);
  }

 private:
  bool is_open_ = false, is_file_ = false, is_stream_ = false;
  off_t begin_ = 0;
};

// What a run left in such a file.
struct Found {
  std::vector<std::string> names;
  bool is_all = false;    // nothing was found that was not recorded
  std::string shortfall;  // why it is of no use, in the words of a warning; empty if it is
};

Result<Found> read_found(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  Found found;
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
      found.names.emplace_back(line);
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

Result<LaunchEnd> run_once(const RecordRequest& request, const RuntimeOptions& options,
                           bool shows_output) {
  LaunchRequest launched = launch_request_of(request, options);
  if (!shows_output) launched.output = launched.error = "/dev/null";
  return launch(launched);
}

}  // namespace

Result<LaunchEnd> run_whole(RecordRequest request) {
  request.watch = false;
  return run_once(request, runtime_options_of(request), true);
}

Result<LaunchEnd> run_watched(const RecordRequest& request, RecordedRun& run) {
  const Input input;
  const auto record_all = [&](const std::string& why, bool shows_output) -> Result<LaunchEnd> {
    run.warnings.push_back(fmt::format("all memory was recorded: {}", why));
    run.info.only_contended = false;
    remove_recordings(request.recording);
    RecordRequest whole = request;
    whole.watch = false;
    input.rewind();
    return run_once(whole, runtime_options_of(whole), shows_output);
  };
  if (!input.can_be_read_again()) {
    return record_all("standard input is a pipe, which cannot be read twice", true);
  }
  std::set<std::string> names;
  std::optional<uint64_t> start_time;
  for (run.runs = 1;; ++run.runs) {
    RuntimeOptions options = runtime_options_of(request);
    if (auto done = write_names(names, request.contended); !done) {
      return std::unexpected(std::move(done).error());
    }
    options.set("contended", fs::absolute(request.contended).string());
    if (start_time) options.set("time", *start_time);
    input.rewind();
    FORETELL_TRY(end, run_once(request, options, run.runs == 1));
    if (!fs::exists(request.recording)) return end;
    const std::string file = request.recording + recording::kContendedSuffix;
    // The runtime has said why, and has recorded everything.
    if (!fs::exists(file)) return end;
    FORETELL_TRY(facts, trace::read_recording_facts(request.recording));
    FORETELL_TRY(found, read_found(file));
    run.info.only_contended = true;
    if (end.interrupted || (found.is_all && found.shortfall.empty())) return end;
    if (!found.shortfall.empty()) return record_all(found.shortfall, false);
    if (run.runs == kMostRuns) return record_all("every run shared other memory", false);
    names.insert(found.names.begin(), found.names.end());
    start_time = facts.start_time_ns;
    remove_recordings(request.recording);
  }
}

}  // namespace foretell::launch
