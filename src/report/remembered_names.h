// SPDX-License-Identifier: Apache-2.0

// RememberedNames: the same finding is race-2 in every run of the same build.
//
// Other seeds find other things first, so numbers given in the order of a report would change from
// run to run. What a report shows keeps the name it got when it was first found; what is only
// possible or dismissed gets what is left. A rebuilt program starts again at 1.
//
// A text file, one finding a line, the newest builds last:
//     BUILD FINGERPRINT@LINES NAME          (a hash of the lines)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

class RememberedNames {
 public:
  // An empty or damaged text remembers nothing.
  static RememberedNames parse(std::string_view text);

  // Names the findings of a run of `build`, which have their fingerprints, and remembers them.
  void apply(finding::AnalysisResult& result, const std::string& build);

  std::string to_text() const;

  static constexpr size_t kMostBuilds = 32;
  static constexpr size_t kMostNames = 10'000;  // of a build

 private:
  struct Row {
    std::string key, name;  // the key: fingerprint and lines
  };
  struct Build {
    std::string build;
    std::vector<Row> rows;
  };
  Build& newest(const std::string& build);

  std::vector<Build> builds_;
};

}  // namespace foretell::report
