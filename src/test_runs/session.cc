// SPDX-License-Identifier: Apache-2.0

#include "test_runs/session.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

#include "report/fingerprint.h"
#include "trace/recording/facts.h"

namespace foretell::test_runs {
namespace {

namespace fs = std::filesystem;
using recording::State;

constexpr std::string_view kDescription = ".process";
constexpr auto kPeriod = std::chrono::milliseconds(50);

std::vector<std::string> our_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

void note_end(const trace::RecordingFacts& facts, launch::RunInfo& info) {
  switch (facts.state) {
    case State::finished:
    case State::stopped:
      info.status = static_cast<int>(facts.status);
      info.ended = fmt::format("exited with {}", facts.status);
      return;
    case State::crashed:
      info.status = 128 + static_cast<int>(facts.status);
      info.ended = "killed by " + launch::signal_text(static_cast<int>(facts.status));
      return;
    case State::deadlock:
      info.status = 1;
      info.ended = "deadlocked";
      return;
    case State::replaced:
      info.ended = "became another program";
      return;
    case State::running:
      info.status = 128 + SIGKILL;
      info.ended = "killed";
      return;
  }
}

// From the description, which is written first, to the recording's last change.
double seconds_of(const std::string& recording) {
  std::error_code error;
  const auto begin = fs::last_write_time(recording + std::string(kDescription), error);
  if (error) return 0;
  const auto end = fs::last_write_time(recording, error);
  return error ? 0 : std::max(0.0, std::chrono::duration<double>(end - begin).count());
}

}  // namespace

std::string ProcessRun::title() const {
  if (!test.empty()) return test;
  return process.self.command.empty() ? "process " + name : command_text(process.self.command);
}

std::string ProcessRun::trouble() const {
  if (!failure.empty()) return "could not be analyzed: " + failure;
  if (outlived || !run.recorded) return "";
  const State state = run.facts.state;
  if (state == State::crashed) return "was " + run.info.ended + " while it was recorded";
  if (state == State::running && run.facts.error.empty()) return "was killed while it was recorded";
  return "";
}

TestSession::TestSession(SessionOptions options) : options_(std::move(options)) {
  options_.driver.stop = &stopped_;
}

std::shared_ptr<TestSession> TestSession::start(SessionOptions options) {
  std::shared_ptr<TestSession> session(new TestSession(std::move(options)));
  // Signals are for the thread that waits for the command.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const unsigned jobs = std::max(1u, session->options_.jobs);
  session->busy_ = jobs;
  for (unsigned i = 0; i < jobs; ++i) {
    // Detached: an interrupted session does not wait for them.
    std::thread([session] { session->work(); }).detach();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return session;
}

void TestSession::command_ended() {
  const std::lock_guard guard(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void TestSession::stop() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool TestSession::wait(std::chrono::milliseconds most) {
  std::unique_lock guard(mutex_);
  return changed_.wait_for(guard, most, [&] { return busy_ == 0; });
}

TestSession::Count TestSession::count() {
  const std::lock_guard guard(mutex_);
  return {runs_.size(), taken_.size(), doing_};
}

std::vector<ProcessRun> TestSession::take_runs() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  std::ranges::sort(runs_, {}, [](const ProcessRun& r) {
    return std::tuple(r.process.self.start, r.process.self.pid, r.name);
  });
  return std::exchange(runs_, {});
}

// With mutex_ held.
void TestSession::look_for_jobs() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options_.recordings, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kDescription) || taken_.contains(name)) continue;
    const auto process = read_description(entry.path().string() + std::string(kDescription));
    const bool running = process && is_running(process->self);
    if (running && !ended_) continue;
    taken_.insert(name);
    next_.push_back({name, running});
  }
}

std::optional<TestSession::Job> TestSession::next_job() {
  std::unique_lock guard(mutex_);
  for (;;) {
    if (stopped_) return {};
    const bool is_last_look = ended_;
    if (next_.empty()) look_for_jobs();
    if (!next_.empty()) {
      Job job = next_.back();
      next_.pop_back();
      return job;
    }
    if (is_last_look) return {};
    changed_.wait_for(guard, kPeriod);
  }
}

void TestSession::work() {
  while (const auto job = next_job()) {
    ProcessRun run = examine(*job);
    const std::lock_guard guard(mutex_);
    runs_.push_back(std::move(run));
  }
  const std::lock_guard guard(mutex_);
  --busy_;
  changed_.notify_all();
}

void TestSession::note_progress(std::string_view phase, double fraction) {
  const std::lock_guard guard(mutex_);
  doing_ = phase;
  if (fraction >= 0) doing_ += fmt::format(" {:.0f} %", 100 * fraction);
}

ProcessRun TestSession::examine(const Job& job) {
  ProcessRun run;
  run.name = job.name;
  run.outlived = job.outlived;
  const std::string recording = options_.recordings + '/' + job.name;
  // One process too large for us must not take the others' results with it.
  try {
    if (auto done = examine(recording, run); !done) run.failure = done.error().message;
  } catch (const std::bad_alloc&) {
    run.failure = "out of memory";
  } catch (const std::exception& error) {
    run.failure = error.what();
  }
  std::error_code error;
  fs::remove(recording, error);
  fs::remove(recording + std::string(kDescription), error);
  return run;
}

Result<void> TestSession::examine(const std::string& recording, ProcessRun& run) {
  FORETELL_TRY(process, read_description(recording + std::string(kDescription)));
  run.process = std::move(process);
  // What is above us started us; a ctest there knows nothing of these tests.
  auto& ancestors = run.process.ancestors;
  const auto us =
      std::ranges::find(ancestors, static_cast<uint32_t>(::getpid()), &ProcessEntry::pid);
  ancestors.erase(us, ancestors.end());
  launch::RunInfo& info = run.run.info;
  info = run_info_of(run.process, our_environment());
  info.version = options_.version;
  note_request(options_.how, info);
  FORETELL_TRY(build, launch::build_id_of(info.program));
  info.build = build;
  FORETELL_TRY(directory, launch::RunDirectory::create("", options_.processes + '/' + run.name));
  run.directory = directory;

  launch::RecordRequest request = options_.how;
  request.recording = recording;
  request.trace = directory.trace();
  request.keep_events = true;
  if (auto done = read_back(request, run.run); !done) return done;
  info.seconds = seconds_of(recording);
  // Many a process of a test does nothing of its own.
  std::erase_if(run.run.warnings,
                [](const std::string& text) { return text.starts_with("no memory access"); });
  note_end(run.run.facts, info);
  if (auto done = complete_run(directory, run.run); !done) return done;
  // The recording is a run like any other from here on.

  pipeline::DriverOptions driver = options_.driver;
  driver.progress = [this](std::string_view phase, double done) { note_progress(phase, done); };
  FORETELL_TRY(result, replay::analyze_run(run.run, driver));
  run.result = std::move(result);
  report::add_fingerprints(run.result);
  FORETELL_TRY(reader, run.run.trace.open());
  FORETELL_TRY(cases, TestCases::read(*reader));
  run.cases = std::move(cases);
  // There may be many processes.
  run.run.trace.leave_memory();
  if (run.result.findings.empty()) run.run.steps = {};
  return {};
}

}  // namespace foretell::test_runs
