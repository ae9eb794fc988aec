// SPDX-License-Identifier: Apache-2.0

#include "cli/command.h"

#include <algorithm>
#include <cstdio>

#include "trace/open.h"

namespace foretell::cli {

ExitCode report(const Diagnostic& diagnostic) {
  std::fflush(stdout);
  if (!diagnostic.message.empty()) std::fputs(diagnostic.to_text().c_str(), stderr);
  return diagnostic.exit_code;
}

ExitCode report(const Result<void>& result) {
  return result ? ExitCode::clean : report(result.error());
}

std::vector<std::string>& program_words() {
  static std::vector<std::string> words;
  return words;
}

bool takes_program(std::string_view command) {
  constexpr std::string_view kCommands[] = {"run", "test", "explore", "record", "replay", "check"};
  return std::ranges::find(kCommands, command) != std::end(kCommands);
}

Result<std::vector<std::string>> required_program(std::string_view command) {
  if (program_words().empty()) {
    return usage_error("name the program after --: foretell {} -- ./program arguments", command);
  }
  return program_words();
}

std::string format_names() {
  std::string names;
  for (uint8_t i = 0; i < trace::kTraceFormatCount; ++i) {
    if (i > 0) names += ", ";
    names += name_of(trace::TraceFormat{i});
  }
  return names;
}

void TraceInput::add_to(CLI::App& command) {
  command.add_option("TRACE", path, "Trace file; - is standard input")->required();
  command.add_option("--input-format", format,
                     "Format of the trace instead of detecting it: " + format_names());
}

Result<std::unique_ptr<trace::TraceReader>> TraceInput::open() const {
  std::optional<trace::TraceFormat> forced;
  if (!format.empty()) {
    forced = trace::parse_format(format);
    if (!forced)
      return usage_error("unknown trace format '{}'; the known formats are {}", format,
                         format_names());
  }
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(std::move(file).error());
  return open_trace(std::move(*file), forced);
}

}  // namespace foretell::cli
