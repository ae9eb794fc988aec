// SPDX-License-Identifier: Apache-2.0

#include "cli/usage.h"

#include <unistd.h>

#include <algorithm>

#include "base/closest.h"
#include "cli/command.h"

namespace foretell::cli {
namespace {

using Apps = std::vector<const CLI::App*>;

Apps visible_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of(const Apps& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// How a command is typed: "foretell tiddle check".
std::string typed(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : typed(*app.get_parent()) + ' ' + app.get_name();
}

// The command that the arguments chose, the innermost one.
const CLI::App& chosen(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen(*below.front());
}

std::string help_note(const CLI::App& command) {
  return fmt::format("'{} --help' lists what there is", typed(command));
}

Diagnostic usage(std::string message) {
  return {.message = std::move(message), .where = "", .exit_code = ExitCode::usage};
}

// The first argument that is not the name of a command on the way to `command`.
std::string first_unknown(const CLI::App& command, const std::vector<std::string>& words) {
  size_t depth = 0;
  for (const CLI::App* app = &command; app->get_parent() != nullptr; app = app->get_parent())
    ++depth;
  return depth < words.size() ? words[depth] : "";
}

Diagnostic no_such_command(const CLI::App& command, const std::string& word) {
  const Apps commands = visible_commands(command);
  if (word.empty()) {
    std::string names;
    for (const std::string& name : names_of(commands)) names += (names.empty() ? "" : ", ") + name;
    return usage(fmt::format("a command is missing after '{}': {}", typed(command), names))
        .with_note(help_note(command));
  }
  Diagnostic diagnostic = usage(
      word.starts_with('-') ? fmt::format("'{}' has no option '{}'", typed(command), word)
                            : fmt::format("'{}' is no command of '{}'", word, typed(command)));
  std::vector<std::string> names = names_of(commands);
  names.insert(names.end(), {"--help", "--version"});
  if (const auto meant = closest(word, names)) {
    diagnostic.notes.push_back(fmt::format("did you mean '{} {}'?", typed(command), *meant));
  } else if (word.find('/') != std::string::npos && ::access(word.c_str(), X_OK) == 0) {
    diagnostic.notes.push_back(fmt::format("did you mean '{} run -- {}'?", typed(command), word));
  }
  return std::move(diagnostic).with_note(help_note(command));
}

Diagnostic not_expected(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-')) {
    if (takes_program(command.get_name()) && command.get_name() != "replay") {
      return usage(fmt::format("the program and its arguments come after --: {} -- {}",
                               typed(command), word));
    }
    return usage(fmt::format("'{}' does not take the argument '{}'", typed(command), word))
        .with_note(help_note(command));
  }
  const std::string name = word.substr(0, word.find('='));
  Diagnostic diagnostic = usage(fmt::format("'{}' has no option '{}'", typed(command), name));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& long_name : option->get_lnames()) names.push_back("--" + long_name);
  }
  if (const auto meant = closest(name, names)) {
    diagnostic.notes.push_back(fmt::format("did you mean '{}'?", *meant));
  }
  return std::move(diagnostic).with_note(help_note(command));
}

}  // namespace

void refuse_negative_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "UINT") continue;
    // Without a description the validator does not show in the help text.
    option->check(CLI::Validator(
        [](std::string& value) {
          return value.starts_with('-') ? fmt::format("{} is below 0", value) : std::string();
        },
        ""));
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_negative_numbers(*command);
  }
}

Diagnostic explain_usage(const CLI::App& app, const CLI::ParseError& error,
                         const std::vector<std::string>& words) {
  const CLI::App& command = chosen(app);
  const std::string unknown = first_unknown(command, words);
  const bool wants_command = command.get_require_subcommand_min() > 0;
  if (wants_command) return no_such_command(command, unknown);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) return not_expected(command, extras.front());
  }
  return usage(error.what()).with_note(help_note(command));
}

}  // namespace foretell::cli
