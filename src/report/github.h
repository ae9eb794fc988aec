// SPDX-License-Identifier: Apache-2.0

// GitHub's workflow commands: lines that a job prints and the pull request shows beside the code.
//     ::error file=bank.cc,line=18,col=19,title=data race::...
// GitHub shows the first ten of each level in a step, so the worst come first.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

struct GithubOptions {
  bool possible = false;  // also what has no witness
  std::string directory;  // files below it are named as seen from there
};

// Nothing for what is suppressed or known.
std::string to_github(const finding::AnalysisResult& result, const GithubOptions& options);

}  // namespace foretell::report
