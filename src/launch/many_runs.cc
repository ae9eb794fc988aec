// SPDX-License-Identifier: Apache-2.0

#include "launch/many_runs.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/elapsed.h"
#include "base/output.h"
#include "launch/word_pointers.h"
#include "trace/ftrace/ftrace_writer.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kMark = "FORETELL_MANY_RUNS";

// Everything the child needs, made before it starts: it shares our memory until it becomes the
// program, so it only makes system calls.
struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char *input, *output;  // null: ours
  const char* directory;
  sigset_t signals;
  pid_t parent;
};

[[noreturn]] void become(const ChildPlan& plan) {
  auto redirect = [](const char* path, int flags, int to) {
    const int fd = ::open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  redirect(plan.input, O_RDONLY, STDIN_FILENO);
  if (plan.output != nullptr) {
    redirect(plan.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    if (::dup2(STDOUT_FILENO, STDERR_FILENO) < 0) ::_exit(127);
  }
  if (::chdir(plan.directory) != 0) ::_exit(127);
  const int persona = ::personality(0xffffffff);
  if (persona != -1) ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
  ::sigprocmask(SIG_SETMASK, &plan.signals, nullptr);
  ::execve(plan.program, plan.arguments, plan.environment);
  ::_exit(127);
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::ate);
  constexpr std::streamoff kEnough = 4096;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kEnough));
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

// A folder in memory if there is such a file system, else in `folder`.
Result<std::string> make_scratch(const std::string& folder) {
  std::string last_tried;
  for (const std::string& root : {std::string("/dev/shm"), folder}) {
    std::string path = root + "/foretell-XXXXXX";
    last_tried = path;
    if (::mkdtemp(path.data()) != nullptr) return fs::absolute(path).string();
  }
  return fail("cannot create {}: {}", last_tried, std::strerror(errno));
}

uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

struct ManyRuns::Files {
  std::string recording, schedule, output;

  ~Files() {
    remove_recordings(recording);
    std::error_code ignored;
    fs::remove(schedule, ignored);
    fs::remove(output, ignored);
  }
};

Result<std::unique_ptr<ManyRuns>> ManyRuns::create(const ManyRunsRequest& request) {
  std::unique_ptr<ManyRuns> runs(new ManyRuns);
  runs->request_ = request;
  RunInfo& info = runs->info_;
  info.command = request.command;
  if (request.like != nullptr) {
    info.directory = request.like->directory;
    info.program = request.like->program;
    info.environment = request.like->environment;
    info.unset_variables = request.like->unset_variables;
  } else {
    info.directory = fs::current_path().string();
    FORETELL_TRY(program, find_program(request.command.at(0), ""));
    info.program = fs::absolute(program).lexically_normal().string();
  }
  FORETELL_TRY(build, build_id_of(info.program));
  info.build = build;
  FORETELL_TRY(facts, inspect_program(info.program));
  runs->facts_ = facts;
  info.standard_input = request.standard_input.value_or(standard_input_file());
  info.start_time_ns = now_ns();
  info.keep_repeats = true;
  FORETELL_TRY(scratch, make_scratch(request.folder));
  runs->folder_ = scratch;
  runs->mark_ = fmt::format("{}={}", kMark, scratch);
  runs->guardian_.emplace(GuardedThings{.mark = runs->mark_, .folder = scratch});
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    const bool is_other =
        std::ranges::find(info.unset_variables, name) != info.unset_variables.end() ||
        std::ranges::any_of(info.environment, [&](const auto& own) { return own.first == name; });
    if (name != "FORETELL_OPTIONS" && name != kMark && name != "KMP_BLOCKTIME" && !is_other)
      runs->environment_.emplace_back(*entry);
  }
  for (const auto& [name, value] : info.environment) {
    if (name != "FORETELL_OPTIONS") runs->environment_.push_back(name + '=' + value);
  }
  runs->environment_.push_back(runs->mark_);
  return runs;
}

ManyRuns::~ManyRuns() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::vector<std::string> ManyRuns::environment_of(const RuntimeOptions& options) const {
  std::vector<std::string> environment = environment_;
  for (const auto& [name, value] : options.environment()) {
    environment.push_back(name + '=' + value);
  }
  return environment;
}

Result<LaunchEnd> ManyRuns::start_and_wait(const RunChoice& choice, const Files& files,
                                           const RuntimeOptions& options) const {
  std::vector<std::string> command = info_.command, variables = environment_of(options);
  const std::vector<char*> arguments = pointers_to(command), environment = pointers_to(variables);
  ChildPlan plan{.program = info_.program.c_str(),
                 .arguments = arguments.data(),
                 .environment = environment.data(),
                 .input = info_.standard_input.empty() ? "/dev/null" : info_.standard_input.c_str(),
                 .output = choice.shows_output ? nullptr : files.output.c_str(),
                 .directory = info_.directory.c_str(),
                 .signals = {},
                 .parent = ::getpid()};
  ::sigemptyset(&plan.signals);
  const auto start = Clock::now();
  const pid_t child = ::vfork();
  if (child == 0) become(plan);
  if (child < 0) return fail("cannot start {}: {}", info_.command[0], std::strerror(errno));

  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  LaunchEnd end;
  for (bool is_killed = false;;) {
    constexpr int kLookMs = 50, kShortMs = 1;
    pollfd ended{.fd = descriptor, .events = POLLIN, .revents = 0};
    // Without a descriptor (an old kernel) the wait is a short sleep.
    ::poll(&ended, descriptor < 0 ? 0 : 1, descriptor < 0 ? kShortMs : kLookMs);
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) {
      if (end.kind != EndKind::timed_out) {
        end.kind = WIFSIGNALED(status) ? EndKind::signalled : EndKind::exited;
        end.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      }
      end.seconds = seconds_since(start);
      break;
    }
    const bool too_long = request_.time_limit && Clock::now() - start >= *request_.time_limit;
    const bool stopped = choice.stop != nullptr && *choice.stop;
    if (is_killed || (!too_long && !stopped)) continue;
    end.interrupted = stopped;
    if (!stopped) end.kind = EndKind::timed_out;
    is_killed = true;
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
  }
  if (descriptor >= 0) ::close(descriptor);
  return end;
}

Result<OneRun> ManyRuns::run(const RunChoice& choice) {
  const std::string base = fmt::format("{}/{}", folder_, number_++);
  const Files files{base + ".recording", base + ".ft1", base + ".out"};
  RecordRequest request{.command = info_.command,
                        .recording = files.recording,
                        .trace = "",
                        .strategy = choice.strategy,
                        .seed = choice.seed,
                        .quantum = choice.quantum,
                        .depth = choice.depth,
                        .keep_repeats = true,
                        .stop = choice.stop,
                        .most_bytes = request_.most_bytes,
                        .keep_events = true};
  if (!choice.schedule.empty()) {
    if (auto done = write_text(files.schedule, choice.schedule); !done) {
      return std::unexpected(std::move(done).error());
    }
    request.schedule = files.schedule;
  }
  RuntimeOptions options = runtime_options_of(request);
  options.set("time", info_.start_time_ns).set("short_run", 1);
  if (choice.length) options.set("length", *choice.length);

  OneRun run;
  run.info = info_;
  note_request(request, run.info);
  FORETELL_TRY(end, start_and_wait(choice, files, options));
  run.end = end;
  run.info.seconds = end.seconds;
  run.info.status = end.exit_status();
  run.info.ended = end.describe();
  if (!choice.shows_output && end.kind == EndKind::signalled) {
    run.last_words = last_line_of(files.output);
  }
  if (::access(files.recording.c_str(), F_OK) != 0) {
    run.unchecked = "nothing was recorded";
    return run;
  }
  if (auto done = read_back(request, run); !done) return std::unexpected(std::move(done).error());
  return run;
}

Result<void> write_trace(const RunTrace& trace, const std::string& path) {
  FORETELL_TRY(reader, trace.open());
  FORETELL_TRY(writer, trace::FtraceWriter::create(path));
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(got, reader->read(batch));
    auto done = writer->write(std::span(batch).first(got), reader->tables());
    if (!done) return done;
    if (got == 0) return writer->close();
  }
}

}  // namespace foretell::launch
