// SPDX-License-Identifier: Apache-2.0

#include "launch/watched_runs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>

#include "launch/contended_names.h"
#include "recording/contended.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;
using Clock = RecordRequest::Clock;

// Runs until nothing new is found. A program that is random in what it shares finds more each time.
constexpr size_t kMostRuns = 4;
// A run that records no more than this is recorded as a whole: it is analyzed in a second or two.
constexpr uint64_t kShortRun = uint64_t{16} << 20;
// What a run that records contended memory may write if nobody says how much: some million steps, which
// take seconds to analyze. The trace made of them is about as large.
constexpr uint64_t kMostOfContended = uint64_t{40} << 20;
// Of the time there is for the program: the first run ends here if it does not end by itself, so that
// the next one can record what it found.
constexpr double kShareOfFirst = 0.5;
// How long a program may take to end when it is asked to, and to name what is contended.
constexpr auto kTimeToEnd = std::chrono::milliseconds(500);
// Who has interrupted the first run does not want to wait for a second of the same length.
constexpr auto kMostAfterInterrupt = std::chrono::seconds(5);
constexpr auto kLeastAfterInterrupt = std::chrono::seconds(1);

// Our standard input, which every run is to read from the same place.
class Input {
 public:
  explicit Input(const RecordRequest& request) {
    struct stat status{};
    if (::fstat(STDIN_FILENO, &status) != 0) return;
    is_file_ = S_ISREG(status.st_mode);
    if (is_file_) begin_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    const bool is_pipe = S_ISFIFO(status.st_mode);
    if (is_pipe) copy_ = request.kept_input;
    is_lost_ = S_ISSOCK(status.st_mode) || (is_pipe && copy_.empty());
  }
  bool can_be_read_again() const { return !is_lost_; }
  void offer(LaunchRequest& launched, bool is_first) const {
    if (is_file_) ::lseek(STDIN_FILENO, begin_, SEEK_SET);
    (is_first ? launched.kept_input : launched.input) = copy_;
  }
  // The file that replays can read; empty if there is none, or nothing in it.
  std::string copy() const {
    std::error_code error;
    if (copy_.empty() || fs::file_size(copy_, error) == 0 || error) return "";
    return fs::absolute(copy_).string();
  }

 private:
  bool is_file_ = false, is_lost_ = false;
  off_t begin_ = 0;
  std::string copy_;
};

// Somebody else ended the program. It may never end by itself.
bool was_killed(const LaunchEnd& end) {
  constexpr std::array kFromOutside = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
  return end.kind == EndKind::signalled &&
         std::ranges::find(kFromOutside, end.status) != kFromOutside.end();
}

bool is_cut_short(const LaunchEnd& end) {
  return end.interrupted || end.kind == EndKind::timed_out || was_killed(end);
}

// The runs of one request, one after the other.
class Runs {
 public:
  Runs(const RecordRequest& request, RecordedRun& run)
      : request_(request), run_(run), input_(request) {
    if (request.time_limit) end_ = Clock::now() + *request.time_limit;
    if (request.run_until) end_ = std::min(end_.value_or(*request.run_until), *request.run_until);
  }

  Result<LaunchEnd> until_all_is_recorded();

 private:
  Result<std::optional<LaunchEnd>> try_short();
  Result<LaunchEnd> run_once();
  Result<LaunchEnd> run_whole(const std::string& why);
  Result<LaunchEnd> launched(const RecordRequest& request, const RuntimeOptions& options);
  void limit(LaunchRequest& launched, bool watches);
  void compare(const LaunchEnd& end);
  bool is_long() const;
  void end_if_long_at(Clock::time_point moment, LaunchRequest& launched);

  RecordRequest request_;  // without its schedule, once that turned out not to fit
  RecordedRun& run_;
  const Input input_;
  std::optional<Clock::time_point> end_;  // of all runs
  std::set<std::string> names_;
  bool tries_short_ = false;
  std::atomic<bool> ends_early_ = false;
  std::optional<LaunchEnd> first_;  // how the run ended whose output was shown
  std::optional<uint64_t> start_time_;
};

// The run that goes on, or is over, was too long to be recorded as a whole.
bool Runs::is_long() const {
  if (!fs::exists(request_.recording)) return false;
  const auto facts = trace::read_recording_facts(request_.recording);
  return facts && !facts->error.empty();
}

void Runs::end_if_long_at(Clock::time_point moment, LaunchRequest& launched) {
  launched.stop = &ends_early_;
  launched.while_running = [this, moment, tell = launched.while_running](double seconds) {
    if (tell) tell(seconds);
    if (Clock::now() >= moment && is_long()) ends_early_ = true;
  };
}

// The first run leaves time for another; what was interrupted has little.
void Runs::limit(LaunchRequest& launched, bool watches) {
  launched.time_limit.reset();
  launched.deadline = end_;
  const auto now = Clock::now();
  if (watches) launched.patience = kTimeToEnd;
  if (run_.runs == 1 && watches && end_ && request_.schedule.empty()) {
    const auto early =
        now + std::chrono::duration_cast<Clock::duration>((*end_ - now) * kShareOfFirst);
    if (tries_short_) {
      end_if_long_at(early, launched);
    } else {
      launched.deadline = early;
    }
  }
  if (!first_ || !(first_->interrupted || was_killed(*first_))) return;
  if (first_->interrupted) launched.stop = nullptr;
  const auto least = std::chrono::duration<double>(kLeastAfterInterrupt);
  const auto most = std::chrono::duration<double>(kMostAfterInterrupt);
  const auto seconds = std::clamp(std::chrono::duration<double>(first_->seconds), least, most);
  const auto soon = now + std::chrono::duration_cast<Clock::duration>(seconds);
  launched.deadline = std::min(end_.value_or(soon), soon);
}

Result<LaunchEnd> Runs::launched(const RecordRequest& request, const RuntimeOptions& options) {
  LaunchRequest launched = launch_request_of(request, options);
  limit(launched, request.watch);
  input_.offer(launched, !first_);
  if (first_) launched.output = launched.error = "/dev/null";
  FORETELL_TRY(end, launch(launched));
  if (ends_early_.exchange(false)) {
    end.kind = EndKind::timed_out;
    end.interrupted = false;
  }
  if (!first_) {
    first_ = end;
    if (const std::string copy = input_.copy(); !copy.empty()) run_.info.standard_input = copy;
  }
  // What was interrupted once counts as interrupted, however the later runs end.
  end.interrupted |= first_->interrupted;
  const bool stands_for_first = end.interrupted || was_killed(*first_);
  if (stands_for_first && end.kind == EndKind::timed_out) {
    end.kind = first_->kind;
    end.status = first_->status;
  }
  return end;
}

// Records what is known to be contended, and watches the rest.
Result<LaunchEnd> Runs::run_once() {
  RuntimeOptions options = runtime_options_of(request_);
  if (auto done = write_names(names_, request_.contended); !done) {
    return std::unexpected(std::move(done).error());
  }
  options.set("contended", fs::absolute(request_.contended).string());
  if (!request_.most_bytes && request_.schedule.empty()) {
    options.set("size_limit", kMostOfContended);
  }
  if (start_time_) options.set("time", *start_time_);
  return launched(request_, options);
}

Result<LaunchEnd> Runs::run_whole(const std::string& why) {
  run_.warnings.push_back(fmt::format("all memory was recorded: {}", why));
  run_.info.only_contended = false;
  remove_recordings(request_.recording);
  RecordRequest whole = request_;
  whole.watch = false;
  return launched(whole, runtime_options_of(whole));
}

// Records all memory, and watches it; nothing if that is too much to record. The program goes on to its
// end, watched, so the next run knows what to record.
Result<std::optional<LaunchEnd>> Runs::try_short() {
  RuntimeOptions options = runtime_options_of(request_);
  options.set("short_limit", kShortRun);
  tries_short_ = true;
  FORETELL_TRY(end, launched(request_, options));
  tries_short_ = false;
  if (!fs::exists(request_.recording)) return end;
  const std::string list = request_.recording + recording::kContendedSuffix;
  const bool is_watched = fs::exists(list);
  if (!is_watched && fs::file_size(request_.recording) > kShortRun) {
    run_.warnings.emplace_back(
        "all memory was recorded: a program with OpenMP or a sanitizer cannot be watched");
  }
  FORETELL_TRY(facts, trace::read_recording_facts(request_.recording));
  if (!is_watched || facts.error.empty()) {
    fs::remove(list);
    return end;
  }
  FORETELL_TRY(found, read_found_names(list));
  // Who ends the program is not kept waiting for another run of it.
  const bool is_early = end.kind == EndKind::timed_out && end_ && Clock::now() < *end_;
  if (is_cut_short(end) && !(is_early && found.shortfall.empty())) {
    fs::remove(list);
    return end;
  }
  if (!found.shortfall.empty()) return run_whole(found.shortfall);
  names_ = std::move(found.names);
  start_time_ = facts.start_time_ns;
  remove_recordings(request_.recording);
  return std::nullopt;
}

// Each run should do what the one did whose output was seen.
void Runs::compare(const LaunchEnd& end) {
  if (is_cut_short(end) || is_cut_short(*first_) || end.exit_status() == first_->exit_status()) {
    return;
  }
  run_.warnings.push_back(
      fmt::format("the program {} when it was run again to record it, and {} before: the report is "
                  "about the second run (--whole records the first)",
                  end.describe(), first_->describe()));
}

Result<LaunchEnd> Runs::until_all_is_recorded() {
  if (!input_.can_be_read_again()) return run_whole("standard input cannot be read twice");
  std::optional<std::set<std::string>> remembered;
  if (request_.schedule.empty()) {
    remembered = remembered_names(request_.remembered, run_.info.build);
  } else {
    // A schedule counts the accesses of what was known when it was written.
    FORETELL_TRY(known, read_found_names(request_.contended));
    remembered = std::move(known.names);
  }
  run_.runs = 1;
  if (!remembered && request_.whole_if_short) {
    FORETELL_TRY(end, try_short());
    if (end) return *end;
    run_.runs = 2;
  }
  if (remembered) names_ = *remembered;
  run_.is_remembered = remembered.has_value();
  for (;; ++run_.runs) {
    FORETELL_TRY(end, run_once());
    const std::string file = request_.recording + recording::kContendedSuffix;
    // The runtime cannot watch this program, and has recorded everything; or it has not begun.
    if (!fs::exists(request_.recording) || !fs::exists(file)) return end;
    FORETELL_TRY(facts, trace::read_recording_facts(request_.recording));
    FORETELL_TRY(found, read_found_names(file));
    run_.info.only_contended = true;
    if (!request_.schedule.empty()) {
      if (found.is_all) return end;
      // Perhaps the program is another build by now. Its steps count otherwise.
      run_.warnings.emplace_back(
          "other memory is contended than when the schedule was written: it was left aside");
      request_.schedule.clear();
    }
    if (!found.shortfall.empty()) return run_whole(found.shortfall);
    names_.insert(found.names.begin(), found.names.end());
    const bool is_last = found.is_all || (run_.runs > 1 && is_cut_short(end));
    if (is_last) {
      compare(end);
      if (!found.is_all) {
        run_.warnings.emplace_back(
            "the program was ended before all that matters was recorded: what only matters at the "
            "end of the run is missing");
      }
      if (names_ == remembered) return end;
      if (auto done = remember_names(request_.remembered, run_.info.build, names_); !done) {
        return std::unexpected(std::move(done).error());
      }
      return end;
    }
    if (run_.runs == kMostRuns) return run_whole("every run shared other memory");
    start_time_ = facts.start_time_ns;
    remove_recordings(request_.recording);
  }
}

}  // namespace

Result<LaunchEnd> run_whole(RecordRequest request) {
  request.watch = false;
  return launch(launch_request_of(request, runtime_options_of(request)));
}

Result<LaunchEnd> run_watched(const RecordRequest& request, RecordedRun& run) {
  return Runs(request, run).until_all_is_recorded();
}

}  // namespace foretell::launch
