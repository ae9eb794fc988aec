// SPDX-License-Identifier: Apache-2.0

// foretell constrain: a program that never leaves its set of schedules (COVER 6.2).
//
// The prepared module of the database, its calls of synchronization replaced, is compiled with
// optimization and linked with the tables of schedules and the runtime in constrained/.

#include <filesystem>

#include "base/output.h"
#include "bitcode/code/constrain.h"
#include "bitcode/library.h"
#include "cli/bitcode_library.h"
#include "cli/installation.h"
#include "cli/schedule_database.h"
#include "cli/schedules.h"
#include "symbolic/epochs/markers.h"
#include "symbolic/selectors/c_tables.h"

namespace foretell::cli {
namespace {

struct ConstrainCommand {
  std::vector<std::string> files;
  std::string database, output, link_options, compiler_options;
  bool allow_incomplete = false;

  Result<void> run() const;
  Result<void> check_program(const std::string& bitcode) const;
};

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(' ', from), text.size());
    if (end > from) words.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

// That the database is of this program.
Result<void> ConstrainCommand::check_program(const std::string& bitcode) const {
  if (files.empty()) return {};
  FORETELL_TRY(prepared, prepare_program(files, words_in(compiler_options)));
  if (prepared != bitcode)
    return std::unexpected(Diagnostic{
        "these schedules are of another program, or of another state of its sources", database}
                               .with_note("enumerate them again with: foretell schedules"));
  return {};
}

Result<void> ConstrainCommand::run() const {
  smt::ExprContext context;
  FORETELL_TRY(cover, read_schedules(database, context));
  if (!cover.is_complete && !allow_incomplete)
    return std::unexpected(
        Diagnostic{"these schedules do not cover every input", database}
            .with_note(
                "finish the enumeration, or look at what is open with: foretell schedules show")
            .with_note("--allow-incomplete constrains the program all the same; it stops where no "
                       "schedule is known"));
  FORETELL_TRY(bitcode, read_part(database, "program.bc"));
  if (auto same = check_program(bitcode); !same) return same;
  FORETELL_TRY(function, bitcode_function(bitcode::kConstrain));
  FORETELL_TRY(code, lower_program(bitcode));
  bitcode::ConstrainPlan plan;
  const symbolic::Markers markers(code, cover.has_epochs, cover.readings);
  for (const program::CodeInstruction& marker : markers.all()) plan.markers.push_back(marker.id);
  for (const auto& [before, marker] : markers.readings()) plan.readings.push_back(before);
  const symbolic::Reads reads = symbolic::reads_of(cover);
  for (const auto& [site, reg] : reads.registers) plan.shadows.push_back({site, reg});
  plan.globals = reads.globals;
  Result<std::string> constrained;
  reinterpret_cast<bitcode::Constrain*>(function)(bitcode, plan, constrained);
  if (!constrained) return std::unexpected(constrained.error());

  FORETELL_TRY(scratch, ScratchFolder::make());
  const std::string module = scratch / "program.bc", tables = scratch / "tables.c";
  if (auto done = write_text(module, *constrained); !done) return done;
  if (auto done = write_text(tables, symbolic::c_tables(cover)); !done) return done;
  FORETELL_TRY(clang, find_clang());
  FORETELL_TRY(runtime, installed_part("lib/foretell/libforetell_constrained.a"));
  FORETELL_TRY(header, installed_part("lib/foretell/schedule_tables.h"));
  std::vector<std::string> command = {
      clang,      "-O2",  "-w",    "-I", std::filesystem::path(header).parent_path().string(),
      module,     tables, runtime, "-o", output,
      "-pthread", "-lm"};
  for (const std::string& word : words_in(link_options)) command.push_back(word);
  return run_compiler(command, "the constrained program");
}

}  // namespace

void add_constrain(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ConstrainCommand>();
  CLI::App* command =
      app.add_subcommand("constrain", "Build a program that only follows schedules of a database");
  command->add_option("FILE", state->files,
                      "The sources again: checks that the database is of their present state");
  command->add_option("--schedules", state->database, "The database that `schedules` made")
      ->required();
  command->add_option("-o,--output", state->output, "The program to write")->required();
  command->add_option("--cflags", state->compiler_options, "As for `schedules`");
  command->add_option("--ldflags", state->link_options, "Options for linking, separated by spaces");
  command->add_flag("--allow-incomplete", state->allow_incomplete,
                    "Even if some inputs have no schedule");
  command->footer(
      "Example: foretell constrain program.c --schedules=program.db -o program.constrained");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
