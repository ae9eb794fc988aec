// SPDX-License-Identifier: Apache-2.0

#include "test_runs/junit.h"

#include <algorithm>

namespace foretell::test_runs {
namespace {

class Suites {
 public:
  // Created where it is first asked for.
  report::JunitCase& at(const std::string& suite, const std::string& name) {
    auto s = std::ranges::find(suites_, suite, &report::JunitSuite::name);
    if (s == suites_.end()) s = suites_.insert(s, {suite, {}});
    auto c = std::ranges::find(s->cases, name, &report::JunitCase::name);
    if (c == s->cases.end()) c = s->cases.insert(c, {.name = name, .class_name = suite});
    return *c;
  }
  std::vector<report::JunitSuite> take() { return std::move(suites_); }

 private:
  std::vector<report::JunitSuite> suites_;
};

}  // namespace

std::vector<report::JunitSuite> junit_suites(const std::vector<ProcessRun>& runs,
                                             const finding::AnalysisResult& result,
                                             finding::Verdict fail_on) {
  constexpr const char* kWithoutCases = "foretell";
  Suites suites;
  for (const ProcessRun& run : runs) {
    if (run.explored) continue;
    const std::string trouble = run.trouble();
    const auto& names = run.cases.names();
    for (const std::string& name : names) suites.at(run.title(), name);
    if (!names.empty() && trouble.empty()) continue;
    report::JunitCase& whole = suites.at(kWithoutCases, run.title());
    whole.seconds += run.run.info.seconds;
    if (!trouble.empty()) whole.errors.push_back({"process", trouble, ""});
  }
  for (const finding::Finding& f : result.findings) {
    finding::AnalysisResult alone;
    alone.findings.push_back(f);
    for (report::JunitProblem& failure : report::junit_case(alone, fail_on).failures) {
      for (const finding::SeenIn& seen : f.seen_in) {
        const bool has_case = !seen.test_case.empty();
        suites.at(has_case ? seen.test : kWithoutCases, has_case ? seen.test_case : seen.test)
            .failures.push_back(failure);
      }
    }
  }
  return suites.take();
}

}  // namespace foretell::test_runs
