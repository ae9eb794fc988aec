// SPDX-License-Identifier: Apache-2.0

// foretell record -- PROGRAM: run a program once under the recorder.

#include <filesystem>

#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/recording_options.h"

namespace foretell::cli {
namespace {

struct RecordCommand {
  RecordingOptions options;
  std::string output;

  Result<ExitCode> run() const;
  // What both have in common: how it is ended, what is shown meanwhile.
  Result<launch::RecordedRun> record(launch::RecordRequest request) const;
  Result<ExitCode> record_into_directory() const;
  Result<ExitCode> record_into_file() const;
};

Result<launch::RecordedRun> RecordCommand::record(launch::RecordRequest request) const {
  const Interruptible keeping_what_was_recorded;
  request.stop = &Interruptible::flag();
  Progress progress;
  request.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  return record_run(request);
}

// The trace alone; the rest of a run directory goes.
Result<ExitCode> RecordCommand::record_into_file() const {
  FORETELL_TRY(program, required_program("record"));
  std::string scratch = output + ".XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) {
    return usage_error("cannot write beside {}", output);
  }
  struct Cleanup {
    const std::string& path;
    ~Cleanup() {
      std::error_code error;
      std::filesystem::remove_all(path, error);
    }
  } cleanup{scratch};
  FORETELL_TRY(request, options.request(scratch));
  request.command = program;
  request.trace = output;
  request.folder = scratch;
  if (options.keep_recording) request.recording = output + ".recording";
  FORETELL_TRY(recorded, record(request));
  print_recorded(recorded, output);
  return static_cast<ExitCode>(recorded.end.exit_status());
}

Result<ExitCode> RecordCommand::record_into_directory() const {
  FORETELL_TRY(program, required_program("record"));
  FORETELL_TRY(directory, launch::RunDirectory::create(".foretell", output));
  FORETELL_TRY(request, options.request(directory.path()));
  request.command = program;
  request.remembered = directory.remembered();
  if (output.empty()) request.folder = directory.path();
  FORETELL_TRY(recorded, record(request));
  if (auto done = finish_run(directory, recorded); !done) {
    return std::unexpected(std::move(done).error());
  }
  print_recorded(recorded, directory.trace());
  return static_cast<ExitCode>(recorded.end.exit_status());
}

Result<ExitCode> RecordCommand::run() const {
  return output.ends_with(".ftrace") ? record_into_file() : record_into_directory();
}

}  // namespace

void add_record(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<RecordCommand>();
  CLI::App* command = app.add_subcommand("record", "Run a program once and record it");
  command->add_option("-o,--output", state->output,
                      "Folder for the run, or a file NAME.ftrace for the trace\nalone (default: a "
                      "new folder in .foretell)");
  state->options.add_to(*command);
  command->footer(
      "Form: foretell record [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
      "The program keeps its standard streams. Foretell exits with the program's status.\n"
      "Example: foretell record --seed=7 -- ./program arguments");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli
