// Where `foretell test` found what: the tests of each finding, by the finding's name.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace foretell {

// A process of a test run that a finding was found in.
struct SeenIn {
  std::string test;            // CTest's name, or the command line where there is none
  std::string test_case = {};  // GoogleTest's name; empty if it is not known
  std::string run = {};        // folder of the recorded process

  std::string name() const { return test_case.empty() ? test : test + " (" + test_case + ")"; }
};

using FindingTests = std::map<std::string, std::vector<SeenIn>>;

}  // namespace foretell
