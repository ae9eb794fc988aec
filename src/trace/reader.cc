// SPDX-License-Identifier: Apache-2.0

#include "trace/reader.h"

#include <algorithm>

namespace foretell::trace {

Result<Trace> read_all(TraceReader& reader) {
  Trace trace;
  for (size_t count = 0;;) {
    // Most traces that are held as a whole are short: a batch for them would be mostly unused
    // pages.
    trace.events.resize(count + std::clamp<size_t>(count, 64, kBatchSize));
    auto got = reader.read(std::span(trace.events).subspan(count));
    if (!got) return std::unexpected(std::move(got).error());
    count += *got;
    if (*got == 0) {
      trace.events.resize(count);
      trace.tables = std::move(reader.tables());
      return trace;
    }
  }
}

}  // namespace foretell::trace
