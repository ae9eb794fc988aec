// SPDX-License-Identifier: Apache-2.0

// The tests of a test run for JUnit: a case for each test, or for each GoogleTest case where they
// are known; a failure for each finding, an error where a process could not be followed to its end.
#pragma once

#include <vector>

#include "report/junit.h"
#include "test_runs/session.h"

namespace foretell::test_runs {

// Findings fail that are open and at least as certain as `fail_on`. `result` is the merged one.
std::vector<report::JunitSuite> junit_suites(const std::vector<ProcessRun>& runs,
                                             const finding::AnalysisResult& result,
                                             finding::Verdict fail_on);

}  // namespace foretell::test_runs
