// SPDX-License-Identifier: Apache-2.0

#include "test_runs/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace foretell::test_runs {
namespace {

std::string field(std::string_view name, std::string_view bytes) {
  return fmt::format("{} {}\n{}\n", name, bytes.size(), bytes);
}

std::string description() {
  using namespace std::string_view_literals;
  return field("forked", "0") +
         field("stat", "12 (a ) name) S 11 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 777 0") +
         field("cmdline", "./prog\0a b\0"sv) + field("exe", "/x/prog") + field("cwd", "/x") +
         field("stdin", "pipe:[3]") + field("environ", "HOME=/h\0EXTRA=1\0"sv) +
         field("stat", "11 (ctest) S 1") + field("cmdline", "ctest\0-j2\0"sv) +
         field("exe", "/usr/bin/ctest") + field("cwd", "/build");
}

TEST(ProcessDescription, HasProcessAndAncestors) {
  const auto process = parse_description(description(), "p");
  ASSERT_TRUE(process);
  EXPECT_EQ(process->self.pid, 12u);
  EXPECT_EQ(process->self.start, 777u);
  EXPECT_EQ(process->self.command, (std::vector<std::string>{"./prog", "a b"}));
  ASSERT_EQ(process->ancestors.size(), 1u);
  EXPECT_EQ(process->ancestors[0].program, "/usr/bin/ctest");
  EXPECT_EQ(process->ancestors[0].directory, "/build");
}

TEST(ProcessDescription, TornOnesAreRefusedOrShort) {
  const std::string whole = description();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto process = parse_description(whole.substr(0, size), "p");
    if (process) EXPECT_EQ(process->self.command.size(), 2u) << size;
  }
  EXPECT_EQ(parse_description("", "p").error().message, "p does not describe a process");
  EXPECT_FALSE(parse_description("stat 99999999999999999999\nx", "p"));
}

TEST(RunInfoOfProcess, KeepsOnlyWhatDiffersOfTheEnvironment) {
  const auto process = parse_description(description(), "p");
  const launch::RunInfo info = run_info_of(*process, {"HOME=/h", "GONE=1", "FORETELL_OPTIONS=x"});
  EXPECT_EQ(info.environment, (std::vector<std::pair<std::string, std::string>>{{"EXTRA", "1"}}));
  EXPECT_EQ(info.unset_variables, (std::vector<std::string>{"GONE"}));
  EXPECT_EQ(info.command[0], "/x/prog");  // ./prog is not to be found there
  EXPECT_EQ(info.standard_input, "");
}

TEST(IsRunning, KnowsThisProcessAndNotItsNumberAlone) {
  ProcessEntry self{.pid = static_cast<uint32_t>(::getpid()), .start = 1};
  EXPECT_FALSE(is_running(self));
}

TEST(CommandText, IsForAShell) {
  EXPECT_EQ(command_text({"./a", "b c", "it's", ""}), "./a 'b c' 'it'\\''s' ''");
}

}  // namespace
}  // namespace foretell::test_runs
