// SPDX-License-Identifier: Apache-2.0

// Reads what a program under Foretell has recorded (recording/file.h).
//
// Every step record becomes one event, in the order of the run. A controlled recording has that
// order already; a parallel one gets one from parallel_merge.h. Sites are user-facing, objects have
// names, and other facts about the run go to RunFacts in the tables.
//
// A program that was killed leaves a recording that is good up to its last record.
#pragma once

#include <memory>
#include <string_view>

#include "base/input_file.h"
#include "trace/reader.h"

namespace foretell::trace {

bool looks_like_recording(std::string_view bytes);

Result<std::unique_ptr<TraceReader>> make_recording_reader(InputFile file);

}  // namespace foretell::trace
