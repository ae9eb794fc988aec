// SPDX-License-Identifier: Apache-2.0

// Which CTest test a process belongs to.
//
// CTest does not tell a test its name. But a process knows its ancestors, and one of
// them is ctest: its folder (it changes into its --test-dir) says which test files it read, and
// `ctest --show-only=json-v1` lists there every test with its command. The ancestor below ctest
// that has the command of a test is that test's first process. Where several tests have the same
// command their working folder and environment decide; what is still the same is named "a or b".
//
// A shell that ends with "exec prog", or a `sh -c prog`, is no longer there to be compared: then
// the test is the only one whose command mentions the program, if there is just one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test_runs/process.h"

namespace foretell::test_runs {

struct CTestEntry {
  std::string name;
  std::vector<std::string> command;
  std::string directory = {};                 // may be empty
  std::vector<std::string> environment = {};  // NAME=VALUE that the test sets
};

Result<std::vector<CTestEntry>> parse_ctest_listing(std::string_view json);

// The place of the nearest ctest among the ancestors.
std::optional<size_t> ctest_among(const std::vector<ProcessEntry>& ancestors);

// The test among `tests` that the process belongs to; empty if none is.
std::string test_of(const ProcessDescription& process, size_t ctest,
                    const std::vector<CTestEntry>& tests);

class CTestNames {
 public:
  // `scratch` is a file for what ctest prints.
  explicit CTestNames(std::string scratch) : scratch_(std::move(scratch)) {}

  // Empty if it is not below a ctest, or cannot be told.
  std::string test_of(const ProcessDescription& process);

 private:
  const std::vector<CTestEntry>& listing(const ProcessEntry& ctest);

  std::string scratch_;
  std::map<std::vector<std::string>, std::vector<CTestEntry>> listings_;  // by command and folder
};

}  // namespace foretell::test_runs
