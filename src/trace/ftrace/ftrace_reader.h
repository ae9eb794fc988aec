// SPDX-License-Identifier: Apache-2.0

// Reader of .ftrace files (layout: trace/ftrace/ftrace_format.h).
//
// Opening loads all definitions. Afterwards one chunk at a time is decompressed and decoded, so
// memory is bounded by the tables and one chunk.
//
// A file whose end is missing is read up to its last good chunk, with a warning that says where it
// is torn and how many events there are. Anything wrong before that end is an error.
#pragma once

#include <memory>

#include "trace/reader.h"

namespace foretell::trace {

Result<std::unique_ptr<TraceReader>> make_ftrace_reader(InputFile file);

// Whether `bytes` begin like an .ftrace file of any version.
bool looks_like_ftrace(std::string_view bytes);

}  // namespace foretell::trace
