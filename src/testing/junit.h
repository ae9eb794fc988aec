// JUnit XML of a test run: a testcase for each test, or for each GoogleTest case where they are
// known; a failure for each finding, an error where a process could not be followed to its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testing/merge.h"

namespace foretell {

// `text_of` is the text report of one finding.
std::string to_junit(const std::vector<ProcessRun>& runs, const MergedResult& merged,
                     const std::function<std::string(const Finding&)>& text_of);

}  // namespace foretell
