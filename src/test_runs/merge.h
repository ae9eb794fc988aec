// SPDX-License-Identifier: Apache-2.0

// One report from many processes.
//
// Two findings of different processes are the same if they have the same fingerprint and stand at
// the same lines. They get one name, in the order in which the processes started, and the report
// shows the one with the best verdict.
#pragma once

#include <string>
#include <vector>

#include "test_runs/session.h"

namespace foretell::test_runs {

class MergedRuns {
 public:
  struct Occurrence {
    ProcessRun* run;
    finding::Finding* finding;
  };
  using Group = std::vector<Occurrence>;  // one finding, in each process that has it

  // Names the findings in the runs, which must outlive this. `command` is what was run.
  MergedRuns(std::vector<ProcessRun>& runs, const std::string& command);

  // What is reported: a finding of each group, those of found() in its order.
  finding::AnalysisResult& result() { return result_; }
  const std::vector<Group>& found() const { return found_; }

  // Copies names, fingerprints, suppressions and baseline states of the report to each process.
  void share_results();
  // Takes each finding from the process with the best verdict. Call it when all verdicts are final;
  // found() must not be used after that.
  void take_best();

 private:
  std::vector<Group> found_, dismissed_;
  finding::AnalysisResult result_;
};

// test.json: every process and test, and the run that has each finding.
std::string to_test_json(const std::vector<ProcessRun>& runs, const finding::AnalysisResult& result,
                         const std::vector<std::string>& command, const std::string& directory);

}  // namespace foretell::test_runs
