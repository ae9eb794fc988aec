// SPDX-License-Identifier: Apache-2.0

// What a reader makes of its input, as Tiddle text: the language of the reader tests.
#pragma once

#include <memory>
#include <string>

#include "trace/reader.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {

// The events `reader` still has, in batches of `batch`; an error ends the text.
inline std::string read_back(TraceReader& reader, size_t batch = kBatchSize) {
  std::vector<Event> events(batch);
  std::string out;
  for (;;) {
    auto got = reader.read(events);
    if (!got) return out + got.error().to_text();
    if (*got == 0) return out;
    for (size_t i = 0; i < *got; ++i) print_tiddle_event(events[i], reader.tables(), out);
  }
}

inline std::string warnings_of(const TraceReader& reader) {
  std::string out;
  for (const Diagnostic& warning : reader.warnings()) out += warning.to_text("warning");
  return out;
}

}  // namespace foretell::trace
