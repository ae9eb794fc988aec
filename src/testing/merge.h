// One report from many processes.
//
// Two findings of different processes are the same if they are of one kind and at the same places
// of the source; the n-th such of one process is the n-th of another. They get one name, in the
// order in which the processes started, and the report shows the one with the best verdict.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/finding_tests.h"
#include "testing/session.h"

namespace foretell {

// One finding as all processes have it.
struct MergedFinding {
  struct Place {
    size_t run, finding;
  };
  bool is_dismissed = false;
  std::vector<Place> places;
};

// Groups the findings of all runs and renames them there: those of a group have one name.
std::vector<MergedFinding> merge_findings(std::vector<ProcessRun>& runs);

Finding& finding_at(std::vector<ProcessRun>& runs, const MergedFinding& merged,
                    const MergedFinding::Place& place);

// What is reported.
struct MergedResult {
  AnalysisResult result;
  FindingTests tests;  // the one that shows it best comes first; also of what was dismissed
};

// `name` is the command's.
MergedResult merged_result(std::vector<ProcessRun>& runs, const std::vector<MergedFinding>& merged,
                           const std::string& name);

// test.json: every process and test, and the run that has each finding.
std::string to_test_json(const std::vector<ProcessRun>& runs, const FindingTests& tests,
                         const std::vector<std::string>& command, const std::string& directory);

}  // namespace foretell
