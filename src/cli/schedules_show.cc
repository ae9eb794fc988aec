// SPDX-License-Identifier: Apache-2.0

// foretell schedules show, explain, draw, tests: what is in a database.

#include "base/output.h"
#include "cli/schedule_database.h"
#include "cli/schedules.h"
#include "symbolic/schedules/print.h"

namespace foretell::cli {
namespace {

using Writer = std::string (*)(const symbolic::Cover& cover);

Result<void> write_database(const std::string& database, const std::string& output, Writer writer) {
  smt::ExprContext context;
  FORETELL_TRY(cover, read_schedules(database, context));
  return write_text(output, writer(cover));
}

struct DatabaseArgument {
  std::string database, output = "-";

  void add_to(CLI::App& command) {
    command.add_option("DB", database, "A database of schedules")->required();
    command.add_option("-o,--output", output, "File to write; - is standard output");
  }
};

void add(CLI::App& schedules, ExitCode& exit_code, const char* name, const char* help,
         Writer writer) {
  auto state = std::make_shared<DatabaseArgument>();
  CLI::App* command = schedules.add_subcommand(name, help);
  state->add_to(*command);
  command->footer(fmt::format("Example: foretell schedules {} program.db", name));
  command->callback([state, writer, &exit_code] {
    exit_code = report(write_database(state->database, state->output, writer));
  });
}

std::string all_schedules(const symbolic::Cover& cover) {
  std::string text;
  for (const symbolic::EpochCover& epoch : cover.epochs)
    for (size_t i = 0; i < epoch.schedules.size(); i++) {
      const symbolic::CoveredSchedule& covered = epoch.schedules[i];
      text += fmt::format("epoch {}, schedule {}\n", epoch.name, i + 1);
      for (const symbolic::Alternative& alternative : covered.alternatives)
        text += fmt::format("  if {}\n", symbolic::condition_text(alternative.conditions));
      text += symbolic::schedule_text(cover, covered) + "\n";
    }
  return text;
}

// A line for each constraint: the arguments that satisfy it. Those of later epochs are about states.
std::string all_tests(const symbolic::Cover& cover) {
  std::string text;
  for (size_t e = 0; e < cover.epochs.size(); e++)
    for (size_t i = 0; i < cover.epochs[e].schedules.size(); i++)
      for (const symbolic::Alternative& alternative : cover.epochs[e].schedules[i].alternatives)
        text += e == 0 ? fmt::format("{}  # schedule {}\n",
                                     symbolic::example_text(cover, e, alternative), i + 1)
                       : fmt::format("# epoch {} with {}: schedule {}\n", e + 1,
                                     symbolic::example_text(cover, e, alternative), i + 1);
  return text;
}

}  // namespace

void add_schedules_show(CLI::App& schedules, ExitCode& exit_code) {
  add(schedules, exit_code, "show", "Epochs, constraints with an example each, and what is open",
      &symbolic::cover_text);
}

void add_schedules_explain(CLI::App& schedules, ExitCode& exit_code) {
  add(schedules, exit_code, "explain", "Every schedule, operation by operation", &all_schedules);
}

void add_schedules_draw(CLI::App& schedules, ExitCode& exit_code) {
  add(schedules, exit_code, "draw", "The happens-before graphs in the language of graphviz",
      &symbolic::cover_dot);
}

void add_schedules_tests(CLI::App& schedules, ExitCode& exit_code) {
  add(schedules, exit_code, "tests", "One command line for each constraint", &all_tests);
}

}  // namespace foretell::cli
