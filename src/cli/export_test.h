// SPDX-License-Identifier: Apache-2.0

// A finding as a regression test of its project, in files to be kept there:
//
//   race-1.cmake   adds the test; include() it where the project adds its tests
//   race-1.json    what the bug is (replay/regression.h); race-1.ft1: the schedule that shows it
//   race-1.contended  which accesses the schedule counts, if not all were recorded
//   race-1.tiddle  the smallest run with the same bug (replay/smallest_run.h), if there is one, and
//                  as a program of its own: race-1.cc
//
// The test runs the program under Foretell along the schedule as far as it goes. It fails while the
// bug is confirmed or predicted, and passes when it is gone.
#pragma once

#include <string>

#include "finding/result.h"
#include "launch/run_directory.h"
#include "schedule/schedule.h"

namespace foretell::cli {

struct ExportedTest {
  std::string base;  // path of the files without their endings
  bool has_program = false;
};

// Writes them into `folder`.
Result<ExportedTest> export_as_test(const finding::Finding& finding,
                                    const schedule::Schedule& schedule,
                                    const launch::RunDirectory& directory,
                                    const launch::RunInfo& info, const std::string& folder);

}  // namespace foretell::cli
