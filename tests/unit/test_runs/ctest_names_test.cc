// SPDX-License-Identifier: Apache-2.0

#include "test_runs/ctest_names.h"

#include <gtest/gtest.h>

namespace foretell::test_runs {
namespace {

ProcessDescription below_ctest(std::vector<ProcessEntry> chain,
                               std::vector<std::string> environment = {}) {
  ProcessDescription process;
  process.self = chain[0];
  process.ancestors.assign(chain.begin() + 1, chain.end());
  process.ancestors.push_back({.command = {"ctest"}, .program = "/usr/bin/ctest"});
  process.environment = std::move(environment);
  return process;
}

std::string test_of(const ProcessDescription& process, const std::vector<CTestEntry>& tests) {
  return test_runs::test_of(process, *ctest_among(process.ancestors), tests);
}

const ProcessEntry kProg{.command = {"/b/prog", "x"}, .program = "/b/prog", .directory = "/b"};

TEST(CTestNames, CommandDecides) {
  EXPECT_EQ(test_of(below_ctest({kProg}), {{"a", {"/b/prog"}}, {"b", {"/b/prog", "x"}}}), "b");
}

TEST(CTestNames, AScriptRunsBehindItsInterpreter) {
  const ProcessEntry script{.command = {"/bin/sh", "/s/run.sh", "1"}, .program = "/bin/dash"};
  EXPECT_EQ(
      test_of(below_ctest({kProg, script}), {{"other", {"/s/run.sh"}}, {"s", {"/s/run.sh", "1"}}}),
      "s");
}

TEST(CTestNames, FolderAndEnvironmentTellEqualCommandsApart) {
  const std::vector<CTestEntry> tests = {{"a", {"/b/prog", "x"}, "/b", {"MODE=1"}},
                                         {"b", {"/b/prog", "x"}, "/b", {"MODE=2"}},
                                         {"c", {"/b/prog", "x"}, "/c", {}}};
  EXPECT_EQ(test_of(below_ctest({kProg}, {"MODE=2"}), tests), "b");
  ProcessEntry elsewhere = kProg;
  elsewhere.directory = "/c";
  EXPECT_EQ(test_of(below_ctest({elsewhere}), tests), "c");
}

TEST(CTestNames, WhatIsTheSameIsNamedTogether) {
  EXPECT_EQ(test_of(below_ctest({kProg}), {{"a", {"/b/prog", "x"}}, {"b", {"/b/prog", "x"}}}),
            "a or b");
}

TEST(CTestNames, AReplacedShellLeavesTheOnlyTestThatMentionsTheProgram) {
  EXPECT_EQ(test_of(below_ctest({kProg}), {{"a", {"sh", "-c", "/b/prog x"}}, {"b", {"true"}}}),
            "a");
  EXPECT_EQ(
      test_of(below_ctest({kProg}), {{"a", {"sh", "-c", "prog y"}}, {"b", {"sh", "-c", "prog z"}}}),
      "");
}

TEST(CTestNames, ListingHasCommandsFoldersAndEnvironments) {
  const auto tests = parse_ctest_listing(R"({"tests":[
    {"name":"a","command":["/b/prog","x"],"properties":[
      {"name":"ENVIRONMENT","value":["A=1"]},{"name":"WORKING_DIRECTORY","value":"/b"}]},
    {"name":"not built"}]})");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 1u);
  EXPECT_EQ((*tests)[0].directory, "/b");
  EXPECT_EQ((*tests)[0].environment, std::vector<std::string>{"A=1"});
  EXPECT_FALSE(parse_ctest_listing("{"));
}

}  // namespace
}  // namespace foretell::test_runs
