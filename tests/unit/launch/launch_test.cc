// SPDX-License-Identifier: Apache-2.0

#include "launch/launch.h"

#include <gtest/gtest.h>

#include <csignal>

#include "unit/launch/scratch.h"

namespace foretell::launch {
namespace {

LaunchRequest quiet(std::vector<std::string> command) {
  return {.command = std::move(command), .input = "/dev/null"};
}

TEST(Launch, ReportsTheExitStatus) {
  auto end = launch(quiet({"/bin/sh", "-c", "exit 3"}));
  ASSERT_TRUE(end) << end.error().to_text();
  EXPECT_EQ(end->kind, EndKind::exited);
  EXPECT_EQ(end->exit_status(), 3);
  EXPECT_EQ(end->describe(), "exited with 3");
}

TEST(Launch, ReportsTheSignalOfACrash) {
  auto end = launch(quiet({"sh", "-c", "kill -SEGV $$"}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EndKind::signalled);
  EXPECT_EQ(end->exit_status(), 128 + SIGSEGV);
  EXPECT_EQ(end->describe(), "killed by SIGSEGV (Segmentation fault)");
}

TEST(Launch, EndsTheWholeGroupAtTheTimeLimit) {
  Scratch scratch;
  const std::string program =
      scratch.script("hang", "sh -c 'echo $$ >child; exec sleep 1000' &\nwait");
  LaunchRequest request = quiet({program});
  request.directory = scratch.path();
  request.time_limit = std::chrono::milliseconds(300);
  auto end = launch(request);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EndKind::timed_out);
  // The kernel may take a moment to bury it.
  const std::string path = "/proc/" + std::to_string(std::stoi(scratch.read("child"))) + "/stat";
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::string pid, name, state;
  do {
    state = "gone";
    std::ifstream(path) >> pid >> name >> state;
  } while (state != "gone" && state != "Z" && state != "X" &&
           std::chrono::steady_clock::now() < give_up);
  EXPECT_TRUE(state == "gone" || state == "Z" || state == "X") << state;
}

TEST(Launch, PutsOutputIntoFilesAndAddsToTheEnvironment) {
  Scratch scratch;
  LaunchRequest request = quiet({"sh", "-c", "echo out $FORETELL_OPTIONS; echo err >&2; pwd"});
  request.directory = "/";
  request.environment = {{"FORETELL_OPTIONS", "mode=controlled"}};
  request.output = scratch.path("o");
  request.error = scratch.path("e");
  ASSERT_TRUE(launch(request));
  EXPECT_EQ(scratch.read("o"), "out mode=controlled\n/\n");
  EXPECT_EQ(scratch.read("e"), "err\n");
}

TEST(Launch, OneFileForBothStreamsKeepsTheirOrder) {
  Scratch scratch;
  LaunchRequest request = quiet({"sh", "-c", "echo 1; echo 2 >&2; echo 3"});
  request.output = request.error = scratch.path("both");
  ASSERT_TRUE(launch(request));
  EXPECT_EQ(scratch.read("both"), "1\n2\n3\n");
}

TEST(Launch, SaysWhyAProgramCannotRun) {
  Scratch scratch;
  EXPECT_EQ(launch(quiet({"./no-such-program"})).error().message,
            "cannot run ./no-such-program: No such file or directory");
  EXPECT_EQ(launch(quiet({"no-such-program"})).error().to_text(),
            "error: cannot run no-such-program: no such program in PATH\n"
            "note: a program in this folder is named ./no-such-program\n");
  scratch.write("data", "x");
  EXPECT_EQ(launch(quiet({scratch.path("data")})).error().message,
            "cannot run " + scratch.path("data") + ": Permission denied");
  LaunchRequest request = quiet({"true"});
  request.directory = "/no/such/folder";
  EXPECT_NE(launch(request).error().message.find("/no/such/folder"), std::string::npos);
}

TEST(Launch, RelativeProgramsAreSeenFromTheirDirectory) {
  Scratch scratch;
  scratch.script("prog", "exit 7");
  LaunchRequest request = quiet({"./prog"});
  request.directory = scratch.path();
  auto end = launch(request);
  ASSERT_TRUE(end) << end.error().to_text();
  EXPECT_EQ(end->status, 7);
}

TEST(Launch, PassesSignalsOn) {
  Scratch scratch;
  // The program interrupts its parent, which must hand the signal back.
  const std::string program =
      scratch.script("prog", "sleep 100 &\ntrap 'kill $!; exit 9' TERM\nkill -TERM $PPID\nwait");
  auto end = launch(quiet({program}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 9);
  EXPECT_TRUE(end->interrupted);
}

}  // namespace
}  // namespace foretell::launch
