// SPDX-License-Identifier: Apache-2.0

// foretell man [COMMAND]: a manual page, generated from the commands themselves.

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/output.h"
#include "cli/command.h"

namespace foretell::cli {
namespace {

// Text in which nothing means anything to troff.
std::string plain(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      default:
        out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

// As it stands, line by line: forms and examples.
std::string verbatim(std::string_view text) {
  return ".nf\n" + plain(text) + "\n.fi\n";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string options_of(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // an old spelling
    std::string names;
    for (const std::string& name : option->get_snames())
      names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : option->get_lnames()) {
      names += (names.empty() ? "--" : ", --") + name;
    }
    if (names.empty()) names = option->get_name(true);
    const bool takes_value = option->get_type_size() != 0 && !option->get_positional();
    out += ".TP\n.B " + plain(names);
    if (takes_value) out += " \\fI" + plain(option->get_type_name()) + "\\fR";
    std::string text = option->get_description();
    std::ranges::replace(text, '\n', ' ');
    out += '\n' + plain(text) + '\n';
  }
  return out;
}

void put_command(const CLI::App& command, const std::string& path, std::string& out) {
  out += fmt::format(".SS {}\n{}\n", plain(path), plain(command.get_description()));
  out += options_of(command);
  if (!command.get_footer().empty()) out += ".PP\n" + verbatim(command.get_footer());
  for (const CLI::App* sub : commands_of(command)) {
    put_command(*sub, path + ' ' + sub->get_name(), out);
  }
}

std::string heading(const std::string& name, const std::string& description) {
  std::string title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"foretell {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     plain(title), FORETELL_VERSION, plain(name), plain(first_line(description)));
}

std::string page_of_all(const CLI::App& app) {
  std::string out = heading("foretell", app.get_description());
  out += ".SH SYNOPSIS\n.B foretell\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [-- \\fIPROGRAM\\fR ...]\n";
  out +=
      ".SH DESCRIPTION\n" + plain(app.get_description()) + "\n.PP\n" + verbatim(app.get_footer());
  out += ".SH COMMANDS\n";
  for (const CLI::App* sub : commands_of(app)) {
    put_command(*sub, sub->get_name(), out);
  }
  out +=
      ".SH ENVIRONMENT\n.TP\n.B FORETELL_OPTIONS\nkey=value:key=value for programs that were built "
      "for recording; help=1 lists the keys.\n";
  return out;
}

std::string page_of(const CLI::App& command) {
  std::string out = heading("foretell-" + command.get_name(), command.get_description());
  out += ".SH SYNOPSIS\n.B foretell " + plain(command.get_name()) + "\n[\\fIOPTIONS\\fR] ...\n";
  out += ".SH DESCRIPTION\n";
  put_command(command, command.get_name(), out);
  return out + ".SH SEE ALSO\n.BR foretell (1)\n";
}

struct ManCommand {
  std::string name;
  std::string folder;

  Result<void> run(const CLI::App& app) const;
  Result<void> write_all(const CLI::App& app) const;
};

Result<void> ManCommand::write_all(const CLI::App& app) const {
  auto done = write_text(folder + "/foretell.1", page_of_all(app));
  for (const CLI::App* command : commands_of(app)) {
    if (!done) return done;
    done =
        write_text(fmt::format("{}/foretell-{}.1", folder, command->get_name()), page_of(*command));
  }
  return done;
}

Result<void> ManCommand::run(const CLI::App& app) const {
  if (!folder.empty()) return write_all(app);
  if (name.empty()) return write_text("-", page_of_all(app));
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name() == name) return write_text("-", page_of(*command));
  }
  return usage_error("there is no command '{}'; 'foretell --help' lists them", name);
}

}  // namespace

void add_man(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ManCommand>();
  CLI::App* command = app.add_subcommand("man", "Print a manual page of all commands, or of one");
  auto* name =
      command->add_option("COMMAND", state->name, "The command, like run (default: all commands)");
  command
      ->add_option("--output", state->folder,
                   "Write foretell.1 and a page for each command into this folder")
      ->excludes(name);
  command->footer("Example: foretell man run | man -l -");
  command->callback(
      [state, &app = std::as_const(app), &exit_code] { exit_code = report(state->run(app)); });
}

}  // namespace foretell::cli
