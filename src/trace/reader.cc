#include "trace/reader.h"

namespace foretell {

Result<Trace> read_all(TraceReader& reader) {
  Trace trace;
  for (size_t count = 0;;) {
    trace.events.resize(count + kBatchSize);
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

}  // namespace foretell
