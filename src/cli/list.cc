// SPDX-License-Identifier: Apache-2.0

// foretell list: the tables Foretell is built from.

#include <algorithm>

#include "analysis/registry.h"
#include "base/output.h"
#include "cli/command.h"
#include "trace/event.h"

namespace foretell::cli {
namespace {

// Columns as wide as their widest cell.
std::string analyses_table() {
  std::vector<std::vector<std::string>> rows = {
      {"name", "kind", "default", "judged", "online", "finds", "guarantee", "source; cost"}};
  auto yes_or_no = [](bool is) { return is ? "yes" : "no"; };
  for (const analysis::AnalysisEntry& a : analysis::all_analyses()) {
    rows.push_back({std::string(a.name), std::string(word_of(a.kind)), yes_or_no(a.in_default),
                    yes_or_no(a.judged), yes_or_no(a.online), std::string(a.finds),
                    std::string(a.guarantee), fmt::format("{}; {}", a.source, a.cost)});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) out += fmt::format("{:<{}} ", row[i], widths[i]);
    out += row.back() + '\n';
  }
  return out;
}

std::string events_table() {
  std::string out = fmt::format("{:<10} {}\n", "word", "what the thread does");
  for (uint8_t i = 0; i < trace::kEventKindCount; ++i) {
    out += fmt::format("{:<10} {}\n", word_of(trace::EventKind{i}), text_of(trace::EventKind{i}));
  }
  return out;
}

std::string formats_table() {
  return format_names() + "\n";
}

}  // namespace

void add_list(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command =
      app.add_subcommand("list", "Show the analyses, event kinds and trace formats");
  command->require_subcommand(1);
  command->footer("Example: foretell list analyses");
  auto add = [&](const char* name, const char* help, std::string (*table)()) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->footer(fmt::format("Example: foretell list {}", name));
    sub->callback([table, &exit_code] { exit_code = report(write_text("-", table())); });
  };
  add("analyses", "What each analysis finds, its guarantee, its cost and its source",
      analyses_table);
  add("events", "The event kinds of a trace, with their names in Tiddle", events_table);
  add("formats", "The trace formats that Foretell can read", formats_table);
}

}  // namespace foretell::cli
