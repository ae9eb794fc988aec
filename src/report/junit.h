// SPDX-License-Identifier: Apache-2.0

// JUnit XML, in the dialect of Ant and Jenkins that every CI server reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

struct JunitProblem {
  std::string type;     // "race"
  std::string message;  // one line
  std::string text;     // the whole report
};

struct JunitCase {
  std::string name;
  std::string class_name;
  double seconds = 0;
  std::vector<JunitProblem> failures;  // findings
  std::vector<JunitProblem> errors;    // the test could not be examined
  std::string skipped;                 // why; empty if it was not
  std::string output;                  // what it printed
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

std::string to_junit(const std::vector<JunitSuite>& suites);

// What is open of a result and at least as certain as `fail_on`, as failures of one test.
JunitCase junit_case(const finding::AnalysisResult& result, finding::Verdict fail_on);

}  // namespace foretell::report
