// SPDX-License-Identifier: Apache-2.0

#include "launch/run_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "launch/runtime_options.h"
#include "unit/launch/scratch.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;

RunInfo some_run(const std::string& program) {
  RunInfo info;
  info.version = "1";
  info.command = {"./prog", "a b", "\xff"};
  info.directory = "/somewhere";
  info.program = program;
  info.build = *build_id_of(program);
  info.mode = recording::Mode::parallel;
  info.strategy = "pct";
  info.seed = 7;
  info.depth = 3;
  info.events = 12;
  info.seconds = 0.5;
  info.ended = "exited with 0";
  return info;
}

TEST(RunDirectory, NamesSortByAgeAndLatestIsTheLast) {
  Scratch scratch;
  const std::string root = scratch.path(".foretell");
  auto first = RunDirectory::create(root);
  auto second = RunDirectory::create(root);
  ASSERT_TRUE(first && second);
  EXPECT_LT(first->path(), second->path());
  ASSERT_TRUE(first->publish() && second->publish());
  EXPECT_EQ(fs::read_symlink(root + "/latest"), fs::path(second->path()).filename());
  ASSERT_TRUE(first->publish());
  EXPECT_EQ(fs::read_symlink(root + "/latest"), fs::path(first->path()).filename());
}

TEST(RunDirectory, TellsTheRunAgain) {
  Scratch scratch;
  scratch.write("prog", "binary");
  auto directory = RunDirectory::create(scratch.path(".foretell"));
  RunInfo info = some_run(scratch.path("prog"));
  ASSERT_TRUE(directory->write_info(info));
  auto opened = RunDirectory::open(directory->path());
  ASSERT_TRUE(opened) << opened.error().to_text();
  auto read = opened->info();
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(read->command[1], "a b");
  EXPECT_EQ(read->build, info.build);
  EXPECT_EQ(read->seed, 7u);
  EXPECT_EQ(read->depth, 3u);
  EXPECT_FALSE(read->quantum);
}

TEST(RunDirectory, SaysWhereARunIsMissingOrDamaged) {
  Scratch scratch;
  EXPECT_NE(RunDirectory::open(scratch.path()).error().message.find("is not a recorded run"),
            std::string::npos);
  scratch.write("run.json", "{\"foretell\": 1, \"command\": 3}");
  EXPECT_NE(RunDirectory::open(scratch.path())->info().error().message.find("is damaged"),
            std::string::npos);
  scratch.write("run.json", "{\"foretell\": 2}");
  EXPECT_NE(RunDirectory::open(scratch.path())->info().error().message.find("does not know"),
            std::string::npos);
}

TEST(RunDirectory, TellsAnotherBuildByItsContents) {
  Scratch scratch;
  scratch.write("prog", "binary");
  const RunInfo info = some_run(scratch.path("prog"));
  scratch.write("copy", "binary");
  EXPECT_TRUE(check_same_build(info, scratch.path("copy"), "race-1"));
  scratch.write("prog", "Binary");
  auto other = check_same_build(info, scratch.path("prog"), "race-1");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().to_text(), "error: race-1 was recorded from a different build of " +
                                         scratch.path("prog") +
                                         "\nnote: rebuild, or pass --binary=PATH\n");
  EXPECT_EQ(other.error().exit_code, ExitCode::bad_input);
}

TEST(ProgramFacts, OfThisTestAndOfAScript) {
  Scratch scratch;
  auto facts = inspect_program("/proc/self/exe");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->elf && facts->has_line_tables);
  EXPECT_FALSE(facts->links_runtime || facts->built_for_tsan || facts->is_static);
  EXPECT_FALSE(inspect_program(scratch.script("s", "true"))->elf);
  // A header that promises tables the file does not have.
  std::string torn =
      "\x7f"
      "ELF\x02\x01\x01";
  torn.resize(64, '\xff');
  scratch.write("torn", torn);
  auto damaged = inspect_program(scratch.path("torn"));
  ASSERT_TRUE(damaged);
  EXPECT_TRUE(damaged->elf);
  EXPECT_FALSE(damaged->built_by_pass);
}

TEST(RuntimeOptions, EscapesAndOverrides) {
  ::setenv("FORETELL_OPTIONS", "watchdog_ms=5:seed=1", 1);
  RuntimeOptions options = RuntimeOptions::from_environment();
  ::unsetenv("FORETELL_OPTIONS");
  options.set("seed", 7).set("record", "/a:b=c%d");
  EXPECT_EQ(options.to_string(), "watchdog_ms=5:seed=7:record=/a%3Ab%3Dc%25d");
}

}  // namespace
}  // namespace foretell::launch
