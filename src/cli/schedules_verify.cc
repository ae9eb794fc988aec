// SPDX-License-Identifier: Apache-2.0

// foretell schedules verify: checks a database without the search that made it.

#include "base/input_file.h"
#include "base/output.h"
#include "cli/schedule_database.h"
#include "cli/schedules.h"
#include "launch/launch.h"
#include "smt/smtlib.h"
#include "symbolic/schedules/print.h"
#include "symbolic/verify/verify.h"

namespace foretell::cli {
namespace {

struct VerifyCommand {
  std::string database;
  size_t random_inputs = 100;

  Result<ExitCode> run() const;
};

// What cvc5 says of the query: "unsat", "sat", ...; empty if there is no cvc5.
Result<std::string> ask_cvc5(const smt::Query& query) {
  if (!launch::find_program("cvc5", "")) return "";
  FORETELL_TRY(scratch, ScratchFolder::make());
  const std::string script = scratch / "query.smt2", answer = scratch / "answer";
  if (auto done = write_text(script, smt::to_smtlib(query)); !done)
    return std::unexpected(done.error());
  FORETELL_TRY(end, launch::launch({.command = {"cvc5", "--tlimit=60000", script},
                                    .output = answer,
                                    .error = scratch / "messages"}));
  if (end.kind != launch::EndKind::exited) return "gave up";
  FORETELL_TRY(file, InputFile::open(answer));
  const std::string_view text = file.bytes();
  return std::string(text.substr(0, text.find('\n')));
}

Result<ExitCode> VerifyCommand::run() const {
  smt::ExprContext context;
  FORETELL_TRY(cover, read_schedules(database, context));
  FORETELL_TRY(bitcode, read_part(database, "program.bc"));
  FORETELL_TRY(code, lower_program(bitcode));
  symbolic::ExecutionLimits limits;
  limits.threads = cover.threads;
  limits.arguments = cover.most_arguments;
  limits.argument_bytes = cover.most_argument_bytes;
  std::string second;
  for (const symbolic::EpochCover& epoch : cover.epochs) {
    FORETELL_TRY(answer, ask_cvc5(symbolic::coverage_query(epoch, cover, context)));
    if (second.empty() || second == "unsat") second = answer;
  }
  FORETELL_TRY(found, symbolic::verify(code, cover, context, limits, random_inputs));

  bool good = cover.is_complete && found.wrong.empty() && found.covers == smt::OutcomeKind::unsat;
  std::string text =
      fmt::format("every input has a schedule: {} (Z3, without what the search had cached)\n",
                  found.covers == smt::OutcomeKind::unsat ? "proved"
                  : found.covers == smt::OutcomeKind::sat ? "NO"
                                                          : "unknown");
  if (!second.empty()) {
    text += fmt::format("the same, asked of cvc5: {}\n", second == "unsat" ? "proved"
                                                         : second == "sat" ? "NO"
                                                                           : "unknown");
    good &= second != "sat";
  } else {
    text += "cvc5 is not installed, so no second solver was asked\n";
  }
  text += fmt::format("{} runs follow the schedules that their inputs select\n",
                      found.runs - std::min(found.runs, found.wrong.size()));
  for (const std::string& wrong : found.wrong) text += "WRONG: " + wrong + "\n";
  if (cover.epochs.size() > 1)
    text += fmt::format("they had {} of {} schedules\n", found.schedules_seen, found.schedules);
  for (const std::string& finding : found.findings) text += finding + "\n";
  for (const std::string& finding : found.possible) text += "possible " + finding + "\n";
  if (found.findings.empty() && found.possible.empty() && good)
    text += "no schedule deadlocks or fails\n";
  text += "assumed: the program has no data races\n";
  text += symbolic::summary_text(cover);
  if (auto done = write_text("-", text); !done) return std::unexpected(done.error());
  if (!good) return ExitCode::bad_input;
  return found.findings.empty() && found.possible.empty() ? ExitCode::clean : ExitCode::findings;
}

}  // namespace

void add_schedules_verify(CLI::App& schedules, ExitCode& exit_code) {
  auto state = std::make_shared<VerifyCommand>();
  CLI::App* command =
      schedules.add_subcommand("verify", "Prove that every input is covered, and execute again");
  command->add_option("DB", state->database, "A database of schedules")->required();
  command->add_option("--random", state->random_inputs, "How many random inputs to try");
  command->footer("Example: foretell schedules verify program.db");
  command->callback([state, &exit_code] {
    const auto done = state->run();
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace foretell::cli
