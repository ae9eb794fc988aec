// SPDX-License-Identifier: Apache-2.0

#include "launch/launch.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/elapsed.h"
#include "base/split.h"
#include "launch/guardian.h"
#include "launch/input_copy.h"
#include "launch/word_pointers.h"

namespace foretell::launch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::nanoseconds kLongWait = std::chrono::hours(1);
constexpr std::chrono::nanoseconds kReportPeriod = std::chrono::milliseconds(100);
// How long a program may take to end after a signal that we passed on.
constexpr auto kInterruptPatience = std::chrono::seconds(2);

// What the processes of this launch have in common and no others have: the options name the
// recording.
std::string mark_of(const LaunchRequest& request) {
  for (const auto& [name, value] : request.environment) {
    if (name == "FORETELL_OPTIONS") return name + '=' + value;
  }
  return "";
}

// What the child could not do before exec, told through a close-on-exec pipe.
struct ChildFailure {
  enum class Step : int { directory, input, output, error, exec } step;
  int error;
};

std::vector<std::string> environment_with(const LaunchRequest& request) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::ranges::any_of(request.environment,
                                              [&](const auto& pair) { return pair.first == name; });
    const bool unset =
        std::ranges::find(request.unset_variables, name) != request.unset_variables.end();
    if (!replaced && !unset) entries.emplace_back(text);
  }
  for (const auto& [name, value] : request.environment) entries.push_back(name + '=' + value);
  return entries;
}

// Everything between fork and exec: only calls that are safe there.
[[noreturn]] void become_program(const LaunchRequest& request, const std::string& program,
                                 char* const* arguments, char* const* environment,
                                 const sigset_t& signals, bool own_group, int input_end,
                                 int failure_pipe, pid_t parent) {
  using enum ChildFailure::Step;
  auto give_up = [&](ChildFailure::Step step) {
    const ChildFailure failure{step, errno};
    [[maybe_unused]] auto written = ::write(failure_pipe, &failure, sizeof failure);
    ::_exit(127);
  };
  auto redirect = [&](const std::string& path, int flags, int to, ChildFailure::Step step) {
    if (path.empty()) return;
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd < 0 || ::dup2(fd, to) < 0) give_up(step);
  };
  if (own_group) ::setpgid(0, 0);
  if (request.dies_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // It died before we could ask.
  }
  redirect(request.input, O_RDONLY, STDIN_FILENO, input);
  if (input_end >= 0 && ::dup2(input_end, STDIN_FILENO) < 0) give_up(input);
  redirect(request.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO, output);
  if (!request.error.empty() && request.error == request.output) {
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
  } else {
    redirect(request.error, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO, error);
  }
  if (!request.directory.empty() && ::chdir(request.directory.c_str()) != 0) give_up(directory);
  const int persona = ::personality(0xffffffff);
  if (persona != -1) ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::execve(program.c_str(), arguments, environment);
  give_up(exec);
  ::_exit(127);
}

// Blocks the signals we wait for or pass on, for its lifetime.
class BlockedSignals {
 public:
  BlockedSignals() {
    ::sigemptyset(&set_);
    for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&set_, signal);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  const sigset_t& before() const { return before_; }

  // The next of them, or 0 after `most`.
  int wait(std::chrono::nanoseconds most) const {
    timespec limit{};
    limit.tv_sec = most.count() / 1'000'000'000;
    limit.tv_nsec = most.count() % 1'000'000'000;
    return std::max(0, ::sigtimedwait(&set_, nullptr, &limit));
  }

 private:
  sigset_t set_{}, before_{};
};

std::unexpected<Diagnostic> failure_text(const LaunchRequest& request, const ChildFailure& f) {
  using enum ChildFailure::Step;
  const std::string why = std::strerror(f.error);
  switch (f.step) {
    case directory:
      return fail("cannot run in {}: {}", request.directory, why);
    case input:
      return fail("cannot read {}: {}", request.input, why);
    case output:
      return fail("cannot write {}: {}", request.output, why);
    case error:
      return fail("cannot write {}: {}", request.error, why);
    case exec:
      break;
  }
  return fail("cannot run {}: {}", request.command[0], why);
}

}  // namespace

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  if (name == nullptr) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", name, ::sigdescr_np(signal));
}

int LaunchEnd::exit_status() const {
  return kind == EndKind::exited ? status : 128 + (kind == EndKind::signalled ? status : SIGKILL);
}

std::string LaunchEnd::describe() const {
  switch (kind) {
    case EndKind::exited:
      return fmt::format("exited with {}", status);
    case EndKind::signalled:
      return "killed by " + signal_text(status);
    case EndKind::timed_out:
      return fmt::format("ran longer than {:.3g} s and was ended", seconds);
  }
  return "";
}

Result<std::string> find_program(const std::string& name, const std::string& directory) {
  auto from_there = [&](const std::string& path) {
    return path.starts_with('/') || directory.empty() ? path : directory + '/' + path;
  };
  if (name.find('/') != std::string::npos) {
    const std::string path = from_there(name);
    if (::access(path.c_str(), F_OK) != 0)
      return fail("cannot run {}: {}", name, std::strerror(errno));
    return path;
  }
  const char* path = std::getenv("PATH");
  for (std::string_view folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = from_there((folder.empty() ? "." : std::string(folder)) + '/' + name);
    struct stat status{};
    if (::access(candidate.c_str(), X_OK) == 0 && ::stat(candidate.c_str(), &status) == 0 &&
        S_ISREG(status.st_mode)) {
      return candidate;
    }
  }
  return std::unexpected(
      Diagnostic{fmt::format("cannot run {}: no such program in PATH", name), ""}.with_note(
          "a program in this folder is named ./" + name));
}

Result<LaunchEnd> launch(const LaunchRequest& request) {
  FORETELL_TRY(program, find_program(request.command.at(0), request.directory));
  std::vector<std::string> command = request.command;
  std::vector<std::string> variables = environment_with(request);
  const std::vector<char*> arguments = pointers_to(command), environment = pointers_to(variables);
  const bool own_group =
      !request.input.empty() || !request.kept_input.empty() || ::isatty(STDIN_FILENO) != 1;
  std::optional<InputCopy> input;
  if (!request.kept_input.empty()) {
    FORETELL_TRY(copy, InputCopy::open(request.kept_input));
    input.emplace(std::move(copy));
  }

  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    return fail("cannot make a pipe: {}", std::strerror(errno));
  std::fflush(nullptr);
  // Inherited as ignored, it would take the exit status from us.
  ::signal(SIGCHLD, SIG_DFL);
  const BlockedSignals signals;
  const auto start = Clock::now();
  std::optional<Guardian> guardian;
  if (request.dies_with_us) {
    guardian.emplace(GuardedThings{.mark = mark_of(request), .recording = request.recording});
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    become_program(request, program, arguments.data(), environment.data(), signals.before(),
                   own_group, input ? input->reading_end() : -1, pipe_ends[1], parent);
  }
  ::close(pipe_ends[1]);
  if (child < 0) {
    ::close(pipe_ends[0]);
    return fail("cannot start {}: {}", command[0], std::strerror(errno));
  }
  if (own_group) ::setpgid(child, child);  // whoever of us two comes first
  ChildFailure failure{};
  const bool failed = ::read(pipe_ends[0], &failure, sizeof failure) == sizeof failure;
  ::close(pipe_ends[0]);

  LaunchEnd end;
  const pid_t target = own_group ? -child : child;
  if (guardian) guardian->watch(target);
  if (input) input->begin();
  std::optional<Clock::time_point> limit = request.deadline;
  if (request.time_limit)
    limit = std::min(limit.value_or(Clock::time_point::max()), start + *request.time_limit);
  bool is_killed = false, is_asked = request.patience.count() == 0;
  for (int status = 0;;) {
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    end.seconds = seconds_since(start);
    if (reaped == child) {
      if (failed) return failure_text(request, failure);
      if (end.kind == EndKind::timed_out) {
        // It did as it was asked; what it started may not have.
        if (!is_killed && own_group) ::kill(target, SIGKILL);
        if (!is_killed && guardian) guardian->kill_all();
        return end;
      }
      end.kind = WIFSIGNALED(status) ? EndKind::signalled : EndKind::exited;
      end.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      return end;
    }
    const auto now = Clock::now();
    if (request.stop != nullptr && *request.stop && !end.interrupted) {
      end.interrupted = true;
      limit = now;
    }
    if (limit && now >= *limit && !is_killed) {
      // Who was interrupted and does not end is not called too slow.
      if (!end.interrupted) end.kind = EndKind::timed_out;
      if (!std::exchange(is_asked, true)) {
        ::kill(target, SIGTERM);
        limit = now + request.patience;
        continue;
      }
      is_killed = true;
      ::kill(target, SIGKILL);
      // Those that have left the group, too.
      if (guardian) guardian->kill_all();
      continue;
    }
    if (request.while_running) request.while_running(end.seconds);
    const bool looks_again = request.while_running || request.stop != nullptr;
    std::chrono::nanoseconds wait = looks_again ? kReportPeriod : kLongWait;
    if (limit && !is_killed) wait = std::min<std::chrono::nanoseconds>(wait, *limit - now);
    const int signal = signals.wait(wait);
    if (signal == 0 || signal == SIGCHLD) continue;
    if (!end.interrupted) {
      end.interrupted = true;
      limit = std::min(limit.value_or(Clock::time_point::max()), Clock::now() + kInterruptPatience);
    }
    // The terminal sent interrupt and quit to the whole group already.
    if (own_group || (signal != SIGINT && signal != SIGQUIT)) ::kill(target, signal);
  }
}

}  // namespace foretell::launch
