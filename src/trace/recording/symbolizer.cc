// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/symbolizer.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "trace/text.h"

extern char** environ;

namespace foretell::recording {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

// Where file offsets of one binary lie in its address space: what the symbolizer counts in.
class Segments {
 public:
  explicit Segments(const std::string& path) {
    auto file = InputFile::open(path);
    if (!file) return;
    const std::string_view bytes = file->bytes();
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
      return;
    }
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
      Elf64_Phdr segment;
      if (at > bytes.size() || bytes.size() - at < sizeof segment) return;
      std::memcpy(&segment, bytes.data() + at, sizeof segment);
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
    }
  }

  uint64_t address(uint64_t offset) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz) {
        return offset - segment.p_offset + segment.p_vaddr;
      }
    }
    return offset;
  }

 private:
  std::vector<Elf64_Phdr> segments_;
};

// A forged path may name a device that never ends.
bool can_be_asked(const std::string& path) {
  std::error_code ignored;
  return path.find_first_of("\"\n") == std::string::npos &&
         std::filesystem::is_regular_file(path, ignored);
}

std::string questions(std::span<const CodePlace> places) {
  std::map<std::string, Segments> binaries;
  std::string text;
  for (const CodePlace& place : places) {
    if (!can_be_asked(place.path)) continue;
    const Segments& binary = binaries.try_emplace(place.path, place.path).first->second;
    text += fmt::format("\"{}\" {:#x}\n", place.path, binary.address(place.offset));
  }
  return text;
}

// Runs `tool` with `input` as its standard input. Nothing if it cannot be run or fails.
std::optional<std::string> output_of(std::string_view tool, std::string_view input) {
  const TemporaryFile in(std::tmpfile()), out(std::tmpfile());
  if (!in || !out || std::fwrite(input.data(), 1, input.size(), in.get()) != input.size()) {
    return std::nullopt;
  }
  std::rewind(in.get());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name(tool), style = "--output-style=JSON";
  char* arguments[] = {name.data(), style.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  std::rewind(out.get());
  std::string text;
  char buffer[1 << 16];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, out.get())) > 0;) {
    text.append(buffer, got);
  }
  return text;
}

bool is_library_file(std::string_view file) {
  return file.starts_with("/usr/") || file.find("/include/c++/") != std::string_view::npos ||
         file.find("/lib/clang/") != std::string_view::npos;
}

SourcePlace answer(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("Symbol") || !json["Symbol"].is_array()) return {};
  SourcePlace innermost;
  for (const auto& frame : json["Symbol"]) {
    if (!frame.is_object()) continue;
    SourcePlace place;
    place.file = frame.value("FileName", "");
    place.function = without_parameters(frame.value("FunctionName", ""));
    place.line = frame.value("Line", uint32_t{0});
    place.column = frame.value("Column", uint32_t{0});
    place.is_library = is_library_file(place.file);
    if (!place.file.empty() && !place.is_library) return place;
    if (innermost.file.empty() && innermost.function.empty()) innermost = place;
  }
  return innermost;
}

}  // namespace

std::string_view without_parameters(std::string_view function) {
  const size_t end = function.rfind(')');
  if (end == std::string_view::npos) return function;
  size_t depth = 0;
  for (size_t i = end + 1; i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) return i == 0 ? function : function.substr(0, i);
  }
  return function;
}

std::optional<std::vector<SourcePlace>> symbolize(std::span<const CodePlace> places,
                                                  std::string_view tool) {
  const auto output = output_of(tool, questions(places));
  if (!output) return std::nullopt;
  std::vector<SourcePlace> answers(places.size());
  trace::LineScanner lines(*output);
  for (size_t i = 0; i < places.size() && !lines.at_end(); ++i) {
    if (can_be_asked(places[i].path)) answers[i] = answer(lines.next());
  }
  return answers;
}

}  // namespace foretell::recording
