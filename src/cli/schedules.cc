// SPDX-License-Identifier: Apache-2.0

// foretell schedules: a set of schedules that covers every input of a program (COVER).

#include "cli/schedules.h"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>

#include "base/output.h"
#include "base/split.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/schedule_database.h"
#include "symbolic/schedules/database.h"
#include "symbolic/schedules/print.h"
#include "symbolic/search/search.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

struct SchedulesCommand {
  std::vector<std::string> files;
  std::string output = "schedules.db";
  std::string arguments, compiler_options, log_queries;
  uint32_t threads = 0;
  uint32_t most_arguments = 4;
  uint64_t most_steps = 20'000'000, most_schedules = 100'000, most_memory = 0;
  double most_seconds = 0;
  uint64_t most_epochs = 1'000;
  uint32_t epoch_length = 1'000, unroll = 1;
  bool has_arguments = false, statistics = false, is_one_epoch = false;

  void add_to(CLI::App& command) {
    command.add_option("FILE", files, "Sources, bitcode, or one program made by `foretell cc -O0`");
    command.add_option("--threads", threads, "How many threads may live at once, besides main")
        ->check(CLI::Range(1, 64));
    command.add_option("-o,--output", output, "The database, a folder");
    command.add_option("--args", arguments, "Fixed arguments of the program, instead of any");
    command.add_option("--max-arguments", most_arguments, "How many arguments the program may get")
        ->check(CLI::Range(0, 64));
    command.add_option("--cflags", compiler_options,
                       "Options for the compiler, separated by spaces");
    command.add_flag("--one-epoch", is_one_epoch,
                     "Do not cut the program into epochs: schedules go from its start to its end");
    command.add_option("--epoch-length", epoch_length,
                       "Operations of a thread after which its epoch ends with the next round");
    command.add_option("--unroll", unroll, "Rounds of a loop that inputs decide, in one epoch")
        ->check(CLI::Range(1, 1000));
    command.add_option("--max-epochs", most_epochs, "Stop after N epochs");
    command.add_option("--max-steps", most_steps, "Instructions of one path");
    command.add_option("--max-schedules", most_schedules, "Stop after N schedules");
    command.add_option("--max-time", most_seconds, "Stop after N seconds");
    command.add_option("--max-memory", most_memory, "Stop when N megabytes are in use");
    command.add_option("--log-queries", log_queries,
                       "Write what the solver is asked to this folder");
    command.add_flag("--stats", statistics, "Say how the solver's layers answered");
  }

  symbolic::SearchOptions search_options() const;
  std::string options_text() const;
  Result<std::vector<symbolic::JournalEntry>> open_database(const std::string& bitcode) const;
  Result<ExitCode> run() const;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(' ', from), text.size());
    if (end > from) words.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

uint64_t megabytes_in_use() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) / 1024;
}

symbolic::SearchOptions SchedulesCommand::search_options() const {
  symbolic::SearchOptions options;
  options.limits.threads = threads;
  options.limits.steps = most_steps;
  options.limits.arguments = most_arguments;
  options.start.arguments_are_fixed = has_arguments;
  options.start.fixed_arguments = words_of(arguments);
  options.limits.epoch_length = epoch_length;
  options.limits.unroll = unroll;
  options.has_epochs = !is_one_epoch;
  options.most_epochs = most_epochs;
  options.most_schedules = most_schedules;
  options.log_directory = log_queries;
  const auto start = std::chrono::steady_clock::now();
  options.stop = [this, start]() -> std::string {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
    if (Interruptible::flag()) return "Ctrl-C";
    if (most_seconds > 0 && past.count() > most_seconds)
      return fmt::format("--max-time={}", most_seconds);
    if (most_memory > 0 && megabytes_in_use() > most_memory)
      return fmt::format("--max-memory={}", most_memory);
    return "";
  };
  return options;
}

// What must be the same for a search to go on.
std::string SchedulesCommand::options_text() const {
  return fmt::format(
      "threads={} args={} {} max-arguments={} max-steps={} one-epoch={} epoch-length={} "
      "unroll={}\n",
      threads, has_arguments, arguments, most_arguments, most_steps, is_one_epoch, epoch_length,
      unroll);
}

// The entries of an earlier search for the same thing, if there was one.
Result<std::vector<symbolic::JournalEntry>> SchedulesCommand::open_database(
    const std::string& bitcode) const {
  std::error_code failed;
  const fs::path folder = output;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed))
    return fail_at(output, "this is a file; a database is a folder");
  if (fs::is_directory(folder, failed) && !fs::is_empty(folder, failed) &&
      !fs::exists(folder / "program.bc", failed))
    return fail_at(output, "this folder holds something else; a database needs one of its own");
  if (fs::exists(folder / "program.bc", failed) && fs::exists(folder / "options.txt", failed) &&
      fs::exists(folder / "journal.jsonl", failed)) {
    FORETELL_TRY(old_bitcode, read_part(output, "program.bc"));
    FORETELL_TRY(old_options, read_part(output, "options.txt"));
    FORETELL_TRY(journal, read_part(output, "journal.jsonl"));
    if (old_bitcode == bitcode && old_options == options_text())
      return symbolic::read_journal(journal, output + "/journal.jsonl");
  }
  fs::create_directories(folder, failed);
  if (failed) return fail_at(output, "cannot make this folder: {}", failed.message());
  fs::remove(folder / "schedules.json", failed);
  if (auto done = write_text((folder / "program.bc").string(), bitcode); !done)
    return std::unexpected(done.error());
  if (auto done = write_text((folder / "options.txt").string(), options_text()); !done)
    return std::unexpected(done.error());
  if (auto done = write_text((folder / "journal.jsonl").string(), ""); !done)
    return std::unexpected(done.error());
  return std::vector<symbolic::JournalEntry>{};
}

Result<ExitCode> SchedulesCommand::run() const {
  if (files.empty())
    return usage_error("name the sources: foretell schedules file.c --threads=N -o DB");
  if (threads == 0)
    return usage_error("say how many threads may live at once besides main: --threads=N");
  FORETELL_TRY(bitcode, prepare_program(files, words_of(compiler_options)));
  FORETELL_TRY(code, lower_program(bitcode));
  FORETELL_TRY(entries, open_database(bitcode));
  std::FILE* journal = std::fopen((output + "/journal.jsonl").c_str(), "a");
  if (!journal) return fail_at(output, "cannot write the journal");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closes(journal, &std::fclose);

  Interruptible interruptible;
  Progress progress;
  smt::ExprContext context;
  symbolic::SearchOptions options = search_options();
  options.progress = [&](const symbolic::Cover& cover, size_t open) {
    progress.update(fmt::format("{} epochs, {} schedules, {} paths, {} to try", cover.epochs.size(),
                                cover.schedule_count(), cover.paths, open),
                    -1);
  };
  symbolic::Search search(code, context, options);
  auto cover = search.run(entries, [&](const symbolic::JournalEntry& entry) -> Result<void> {
    const std::string line = symbolic::journal_line(entry);
    if (std::fwrite(line.data(), 1, line.size(), journal) != line.size() ||
        std::fflush(journal) != 0)
      return fail_at(output, "cannot write the journal");
    return {};
  });
  progress.clear();
  if (!cover) return std::unexpected(cover.error());
  if (auto done = write_text(output + "/schedules.json", symbolic::cover_json(*cover)); !done)
    return std::unexpected(done.error());
  std::string text = symbolic::summary_text(*cover);
  for (const symbolic::Note& note : cover->notes)
    if (note.is_open)
      text += fmt::format("open: {}{}{}\n", note.place, note.place.empty() ? "" : ": ", note.text);
  if (!cover->stopped_by.empty()) text += "the same command goes on from here\n";
  if (statistics) text += search.statistics_text();
  if (auto done = write_text("-", text); !done) return std::unexpected(done.error());
  if (cover->stopped_by == "Ctrl-C") return ExitCode::interrupted;
  return ExitCode::clean;
}

}  // namespace

void add_schedules(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<SchedulesCommand>();
  CLI::App* command = app.add_subcommand(
      "schedules", "Enumerate schedules that cover every input of a program; show and verify them");
  state->add_to(*command);
  command->require_subcommand(0, 1);
  command->footer("Example: foretell schedules program.c --threads=2 -o program.db");
  add_schedules_show(*command, exit_code);
  add_schedules_explain(*command, exit_code);
  add_schedules_draw(*command, exit_code);
  add_schedules_tests(*command, exit_code);
  add_schedules_verify(*command, exit_code);
  command->callback([state, command, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    state->has_arguments = command->count("--args") > 0;
    const auto done = state->run();
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace foretell::cli
