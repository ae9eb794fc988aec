// SPDX-License-Identifier: Apache-2.0

#include "cli/replay_debugger.h"

#include <filesystem>

#include "base/output.h"
#include "cli/command.h"
#include "launch/launch.h"
#include "launch/recorder.h"
#include "replay/debugging.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

// Files that a debugger reads: the schedule and what its steps are.
Result<replay::DebugPlan> prepare(const replay::Replayer& replayer, const ReplaySubject& subject) {
  if (!subject.schedule) return usage_error("a debugger needs a finding or a schedule, not a seed");
  const uint64_t steps = subject.schedule->steps();
  const bool race = subject.ends(finding::WitnessEnd::at_once);
  // Before the first of the two accesses both threads are about to take theirs.
  const uint64_t pause_at = race ? steps - 1 : steps;
  const launch::RunDirectory& directory = replayer.directory();
  const std::string schedule_file = directory.scratch("replay-gdb.ft1");
  const std::string steps_file = directory.scratch("replay-gdb.json");
  auto written = write_text(schedule_file, subject.schedule->to_file(subject.name));
  if (written) {
    written = replay::write_steps(steps_file, directory, subject.name, *subject.schedule,
                                  subject.finding ? &*subject.finding : nullptr);
  }
  if (!written) return std::unexpected(std::move(written).error());
  return plan_debugging(replayer, subject.name, schedule_file, steps_file, pause_at);
}

}  // namespace

Result<ExitCode> debug_replay(const replay::Replayer& replayer, const ReplaySubject& subject) {
  FORETELL_TRY(plan, prepare(replayer, subject));
  const launch::RunInfo& info = replayer.info();
  std::vector<std::string> command = {"gdb", "-q"};
  for (const std::string& line : plan.options) command.insert(command.end(), {"-ex", line});
  command.insert(command.end(), {"-ex", "cd " + info.directory});
  for (const auto& [name, value] : plan.environment) {
    command.insert(command.end(), {"-ex", fmt::format("set environment {}={}", name, value)});
  }
  for (const char* line : {"run", "backtrace 6", "info schedule 4"}) {
    command.insert(command.end(), {"-ex", line});
  }
  command.insert(command.end(), {"--args", plan.program});
  command.insert(command.end(), info.command.begin() + 1, info.command.end());
  const bool race = subject.ends(finding::WitnessEnd::at_once);
  say(
      fmt::format("foretell: gdb stops {}.\n"
                  "  info schedule     the next steps: thread, operation, position\n"
                  "  schedule-where    where every thread is\n"
                  "  schedule-next     take one step of the schedule\n"
                  "  thread N          another thread; schedule-frame selects its program line\n"
                  "  continue          continue the schedule\n",
                  race ? "where both accesses are pending" : "before the last step"));
  FORETELL_TRY(end, launch::launch({.command = command}));
  launch::remove_recordings(replayer.directory().scratch("replay-gdb.recording"));
  std::error_code error;
  for (const char* name : {"replay-gdb.ft1", "replay-gdb.json"}) {
    fs::remove(replayer.directory().scratch(name), error);
  }
  return static_cast<ExitCode>(end.exit_status());
}

Result<void> print_launch_json(const replay::Replayer& replayer, const ReplaySubject& subject) {
  FORETELL_TRY(plan, prepare(replayer, subject));
  return write_text("-", to_launch_json(plan, replayer.info()));
}

}  // namespace foretell::cli
