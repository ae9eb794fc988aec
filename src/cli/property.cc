// SPDX-License-Identifier: Apache-2.0

// foretell property show FILE: properties as they are understood, with their automata.

#include <cstdio>

#include "cli/command.h"
#include "property_language/draw.h"

namespace foretell::cli {
namespace {

struct ShowCommand {
  std::string file;
  std::string only;
  std::string format = "text";

  Result<std::string> show() const;
};

Result<std::string> ShowCommand::show() const {
  FORETELL_TRY(specification, property_language::read(file));
  std::string out;
  size_t shown = 0;
  for (const property_language::Property& property : specification.properties) {
    if (!only.empty() && property.name != only) continue;
    if (shown++ > 0) out += '\n';
    if (format == "dot") {
      out += to_dot(property);
    } else if (format == "html") {
      out += to_html(property);
    } else if (format == "hoa") {
      const std::string text = to_hoa(property);
      if (text.empty()) {
        return fail_at(property.where, "the monitor of '{}' is no finite automaton", property.name);
      }
      out += text;
    } else {
      out += to_text(property);
    }
  }
  if (shown == 0) return usage_error("{} has no property '{}'", file, only);
  return out;
}

}  // namespace

void add_property(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("property", "Show what a property says and its automaton");
  command->require_subcommand(1);
  auto state = std::make_shared<ShowCommand>();
  CLI::App* show = command->add_subcommand("show", "Print or draw the monitors of a specification");
  show->add_option("FILE", state->file, "A file with properties (docs/properties.md)")->required();
  show->add_option("NAME", state->only, "Only this property");
  show->add_option("--format", state->format,
                   "text: a table of states; dot: for Graphviz; html: a page; hoa: for other tools")
      ->check(CLI::IsMember({"text", "dot", "html", "hoa"}));
  show->footer("Example: foretell property show --format=dot pool.prop | dot -Tsvg > pool.svg");
  show->callback([state, &exit_code] {
    auto shown = state->show();
    if (!shown) {
      exit_code = report(shown.error());
      return;
    }
    std::fputs(shown->c_str(), stdout);
    exit_code = ExitCode::clean;
  });
}

}  // namespace foretell::cli
