// SPDX-License-Identifier: Apache-2.0

// A recorded process of a test run: what it was and where it stood among the others, from the
// description it left beside its recording (runtime/record/description.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "launch/run_directory.h"

namespace foretell::test_runs {

struct ProcessEntry {
  uint32_t pid = 0;
  uint64_t start = 0;  // ticks since boot; tells two processes with one number apart
  std::vector<std::string> command;
  std::string program, directory;
};

struct ProcessDescription {
  bool forked = false;  // without exec: it is in the middle of its parent's program
  ProcessEntry self;
  std::string standard_input;
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<ProcessEntry> ancestors;   // from its parent upwards
};

Result<ProcessDescription> parse_description(std::string_view bytes, const std::string& path);
Result<ProcessDescription> read_description(const std::string& path);

bool is_running(const ProcessEntry& process);

// Of a path, the last part.
std::string file_name(const std::string& path);

// "./prog a 'b c'": for people, and for a shell.
std::string command_text(const std::vector<std::string>& command);

// What a replay must know: command, folder, standard input, and where the environment differs from
// `ours`.
launch::RunInfo run_info_of(const ProcessDescription& process,
                            const std::vector<std::string>& ours);

}  // namespace foretell::test_runs
