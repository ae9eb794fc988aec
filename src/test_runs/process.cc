// SPDX-License-Identifier: Apache-2.0

#include "test_runs/process.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/input_file.h"
#include "base/split.h"
#include "launch/launch.h"

namespace foretell::test_runs {
namespace {

struct Field {
  std::string_view name, bytes;
};

// The next field of a description, which it cuts off; nothing at a torn end.
std::optional<Field> next_field(std::string_view& rest) {
  const size_t space = rest.find(' ');
  const size_t line_end = rest.find('\n');
  if (space == std::string_view::npos || line_end == std::string_view::npos || space > line_end) {
    return {};
  }
  size_t size = 0;
  const auto parsed = std::from_chars(rest.data() + space + 1, rest.data() + line_end, size);
  if (parsed.ec != std::errc{} || rest.size() - line_end - 1 <= size) return {};
  const Field field{rest.substr(0, space), rest.substr(line_end + 1, size)};
  rest.remove_prefix(line_end + size + 2);
  return field;
}

// Strings that each end with a zero byte.
std::vector<std::string> strings_of(std::string_view bytes) {
  std::vector<std::string> strings;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    strings.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return strings;
}

// /proc/PID/stat: "12 (name) S 11 ..."; the start time is field 22.
void take_stat(std::string_view stat, ProcessEntry& process) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return;
  std::from_chars(stat.data(), stat.data() + stat.size(), process.pid);
  const auto fields = split(stat.substr(std::min(name_end + 2, stat.size())), ' ');
  constexpr size_t kStart = 22 - 3;
  if (fields.size() <= kStart) return;
  std::from_chars(fields[kStart].data(), fields[kStart].data() + fields[kStart].size(),
                  process.start);
}

std::map<std::string, std::string> variables_of(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  // Ours to set, and the shell's note of what it started last.
  variables.erase("FORETELL_OPTIONS");
  variables.erase("_");
  return variables;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat one{}, other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

Result<ProcessDescription> parse_description(std::string_view bytes, const std::string& path) {
  ProcessDescription description;
  ProcessEntry* process = nullptr;
  while (const auto field = next_field(bytes)) {
    if (field->name == "forked") {
      description.forked = field->bytes == "1";
    } else if (field->name == "stat") {
      process = process == nullptr ? &description.self : &description.ancestors.emplace_back();
      take_stat(field->bytes, *process);
    } else if (process == nullptr) {
      break;
    } else if (field->name == "cmdline") {
      process->command = strings_of(field->bytes);
    } else if (field->name == "exe") {
      process->program = field->bytes;
    } else if (field->name == "cwd") {
      process->directory = field->bytes;
    } else if (field->name == "stdin") {
      description.standard_input = field->bytes;
    } else if (field->name == "environ") {
      description.environment = strings_of(field->bytes);
    }
  }
  if (description.self.pid == 0 || description.self.command.empty()) {
    return fail("{} does not describe a process", path);
  }
  return description;
}

Result<ProcessDescription> read_description(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse_description(file.bytes(), path);
}

bool is_running(const ProcessEntry& process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process.pid));
  std::stringstream text;
  text << file.rdbuf();
  const std::string stat = text.str();
  ProcessEntry now;
  take_stat(stat, now);
  if (now.start != process.start || now.pid != process.pid) return false;
  // A zombie has ended; its parent has not looked yet.
  const size_t name_end = stat.rfind(')');
  return name_end + 2 < stat.size() && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("_-./=:,+%@^").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

launch::RunInfo run_info_of(const ProcessDescription& process,
                            const std::vector<std::string>& ours) {
  launch::RunInfo info;
  info.command = process.self.command;
  info.directory = process.self.directory;
  info.program = process.self.program;
  // The first word may be anything; what was run is what counts.
  const auto found = launch::find_program(info.command[0], info.directory);
  if (!found || !is_same_file(*found, info.program)) info.command[0] = info.program;
  struct stat status{};
  if (::stat(process.standard_input.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    info.standard_input = process.standard_input;
  }
  const auto before = variables_of(ours), theirs = variables_of(process.environment);
  for (const auto& [name, value] : theirs) {
    const auto known = before.find(name);
    if (known == before.end() || known->second != value) info.environment.emplace_back(name, value);
  }
  for (const auto& [name, value] : before) {
    if (!theirs.contains(name)) info.unset_variables.push_back(name);
  }
  return info;
}

}  // namespace foretell::test_runs
