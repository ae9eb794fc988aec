// SPDX-License-Identifier: Apache-2.0

// Runs of a program of which only contended memory is recorded (recording/watching.h).
//
// A run records the memory that is known to be contended, and watches the rest. If it finds that
// more is contended, it is forgotten: the same run is made again with what is known now. So the
// last run has recorded all that is contended in it, whatever the ones before it did; a program
// that repeats itself needs two at most.
#pragma once

#include "launch/recorder.h"

namespace foretell::launch {

// The recording is then at `request.recording`, and the names of what it recorded at
// `request.contended`. Only the first run has our standard streams. If watching does not work for
// this program, all memory is recorded in the end, and a warning says why.
Result<LaunchEnd> run_watched(const RecordRequest& request, RecordedRun& run);

// One run in which all memory is recorded.
Result<LaunchEnd> run_whole(RecordRequest request);

}  // namespace foretell::launch
