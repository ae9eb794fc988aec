// SPDX-License-Identifier: Apache-2.0

// foretell completion SHELL: a completion script, generated from the commands themselves.

#include <algorithm>

#include "base/output.h"
#include "cli/command.h"
#include "cli/finding_names.h"

namespace foretell::cli {
namespace {

// Words that may follow a command path: its subcommands and its long options.
struct CommandWords {
  std::string path;  // "tiddle compile"; empty for foretell itself
  std::vector<std::string> words;
};

void collect(const CLI::App& app, const std::string& path, std::vector<CommandWords>& out) {
  CommandWords entry{path, {}};
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    entry.words.push_back(sub->get_name());
    collect(*sub, path.empty() ? sub->get_name() : path + ' ' + sub->get_name(), out);
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // an old spelling
    for (const std::string& name : option->get_lnames()) entry.words.push_back("--" + name);
  }
  out.push_back(std::move(entry));
}

// Commands whose first argument is a finding; the scripts ask for its names when they are needed.
constexpr std::string_view kTakeFinding[] = {"replay", "explain", "report"};

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  std::string out = R"(_foretell() {
  local cur="${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *)
      case "$path $word" in
)";
  for (const CommandWords& c : commands) {
    if (!c.path.empty()) out += fmt::format("        \" {}\") path=\" {}\" ;;\n", c.path, c.path);
  }
  out += R"(      esac ;;
    esac
  done
  case "$path" in
)";
  for (const CommandWords& c : commands) {
    out += fmt::format("    \"{}\") words=\"{}\" ;;\n", c.path.empty() ? "" : " " + c.path,
                       join(c.words));
  }
  out += "  esac\n  case \"$path\" in\n";
  for (const std::string_view command : kTakeFinding) {
    out +=
        fmt::format("    \" {}\") words=\"$words $(foretell completion findings)\" ;;\n", command);
  }
  out += R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
}
complete -o filenames -F _foretell foretell
)";
  return out;
}

// Works from a folder of $fpath, where the file is the body of the function, and when it is
// sourced.
std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string out = R"(#compdef foretell
_foretell() {
  local at="" word
  local -a known
  for word in ${words[2,CURRENT-1]}; do
    case "$at $word" in
)";
  for (const CommandWords& c : commands) {
    if (!c.path.empty()) out += fmt::format("      \" {0}\") at=\" {0}\" ;;\n", c.path);
  }
  out += R"(    esac
  done
  case "$at" in
)";
  for (const CommandWords& c : commands) {
    out += fmt::format("    \"{}\") known=({}) ;;\n", c.path.empty() ? "" : " " + c.path,
                       join(c.words));
  }
  out += "  esac\n  case \"$at\" in\n";
  for (const std::string_view command : kTakeFinding) {
    out += fmt::format("    \" {}\") known+=(${{(f)\"$(foretell completion findings)\"}}) ;;\n",
                       command);
  }
  out += R"(  esac
  compadd -- $known
  [[ $PREFIX == -* ]] || _files
}
if [[ "$funcstack[1]" == _foretell ]]; then _foretell "$@"; else compdef _foretell foretell; fi
)";
  return out;
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string out;
  for (const CommandWords& c : commands) {
    std::string condition = "__fish_use_subcommand";
    if (!c.path.empty()) {
      condition = "__fish_seen_subcommand_from " + c.path.substr(c.path.rfind(' ') + 1);
    }
    for (const std::string& word : c.words) {
      if (word.starts_with("--")) {
        out += fmt::format("complete -c foretell -n '{}' -l {}\n", condition, word.substr(2));
      } else {
        out += fmt::format("complete -c foretell -n '{}' -a {}\n", condition, word);
      }
    }
  }
  for (const std::string_view command : kTakeFinding) {
    out += fmt::format(
        "complete -c foretell -n '__fish_seen_subcommand_from {}' -a '(foretell completion "
        "findings)'\n",
        command);
  }
  return out;
}

// For the scripts. Where there is no run, there is nothing to complete and nothing to say.
std::string finding_lines() {
  std::string lines;
  for (const std::string& name : names_in_latest_run()) lines += name + '\n';
  return lines;
}

}  // namespace

void add_completion(CLI::App& app, ExitCode& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for your shell");
  command
      ->add_option(
          "SHELL", *shell,
          "bash, zsh or fish; 'findings' prints what\ncan be completed after 'foretell replay'")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "findings"}));
  command->footer("Example: source <(foretell completion bash)");
  command->callback([shell, &app, &exit_code] {
    if (*shell == "findings") {
      exit_code = report(write_text("-", finding_lines()));
      return;
    }
    std::vector<CommandWords> commands;
    collect(app, "", commands);
    std::string script = *shell == "bash"  ? bash_script(commands)
                         : *shell == "zsh" ? zsh_script(commands)
                                           : fish_script(commands);
    exit_code = report(write_text("-", script));
  });
}

}  // namespace foretell::cli
