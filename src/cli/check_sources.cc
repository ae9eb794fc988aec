// SPDX-License-Identifier: Apache-2.0

#include "cli/check_sources.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/input_file.h"
#include "cli/installation.h"

extern char** environ;

namespace foretell::cli {
namespace {

using static_analysis::BitcodeFile;

bool is_source(const std::string& path) {
  for (const char* ending : {".c", ".i", ".cc", ".cpp", ".cxx", ".C", ".ii", ".c++"})
    if (path.ends_with(ending)) return true;
  return false;
}

bool is_cxx(const std::string& path) {
  return is_source(path) && !path.ends_with(".c") && !path.ends_with(".i");
}

// A preprocessed source has the sizes of the machine it was preprocessed for.
bool is_for_32_bits(std::string_view text) {
  const std::string_view begin = text.substr(0, size_t{1} << 20);
  return begin.find("typedef unsigned int size_t;") != std::string_view::npos;
}

std::vector<std::string> command_line(const std::string& clang, const std::string& path,
                                      bool narrow, const std::vector<std::string>& flags) {
  // Bodies of inline functions come only with -O1, and without its passes nothing is optimized.
  std::vector<std::string> line = {
      clang, "-c", "-emit-llvm", "-O1", "-Xclang", "-disable-llvm-passes", "-gline-tables-only",
      "-w"};
  if (is_cxx(path))
    line.push_back("--driver-mode=g++");
  else
    // What older compilers accepted.
    line.insert(line.end(), {"-Wno-implicit-function-declaration", "-Wno-implicit-int",
                             "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types",
                             "-Wno-return-type", "-Wno-return-mismatch"});
  const bool chosen = std::ranges::any_of(
      flags, [](const std::string& flag) { return flag == "-m32" || flag == "-m64"; });
  if (narrow && !chosen) line.push_back("-m32");
  line.insert(line.end(), flags.begin(), flags.end());
  line.insert(line.end(), {"-o", "-", path});
  return line;
}

// The standard output of a command whose standard error is ours.
Result<std::string> output_of(std::vector<std::string> line, const std::string& path) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (std::string& word : line) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  if (failed != 0) {
    ::close(ends[0]);
    return fail("cannot run {}: {}", line.front(), std::strerror(failed));
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.append(buffer, static_cast<size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::unexpected(Diagnostic{"clang could not compile it", path}.with_note(
        "options for the compiler stand after `--`, such as `-- -Iinclude -DNDEBUG`"));
  return output;
}

}  // namespace

Result<std::vector<BitcodeFile>> bitcode_of(const std::vector<std::string>& paths,
                                            const std::vector<std::string>& flags) {
  std::vector<BitcodeFile> files;
  for (const std::string& path : paths) {
    FORETELL_TRY(file, InputFile::open(path));
    if (!is_source(path)) {
      files.push_back({path, std::string(file.bytes())});
      continue;
    }
    FORETELL_TRY(clang, find_clang());
    const bool narrow =
        (path.ends_with(".i") || path.ends_with(".c")) && is_for_32_bits(file.bytes());
    FORETELL_TRY(bytes, output_of(command_line(clang, path, narrow, flags), path));
    files.push_back({path, std::move(bytes)});
  }
  return files;
}

}  // namespace foretell::cli
