#include "trace/stream.h"

namespace foretell {

TraceStream::TraceStream(std::unique_ptr<TraceReader> reader)
    : reader_(std::move(reader)), raw_(kBatchSize) {
  batch_.reserve(2 * kBatchSize);
}

Result<TraceStream> TraceStream::open(std::unique_ptr<TraceReader> reader) {
  TraceStream stream(std::move(reader));
  if (auto done = stream.find_locations(); !done) return std::unexpected(std::move(done).error());
  stream.restart();
  return stream;
}

Result<void> TraceStream::find_locations() {
  if (reader_->locations_known()) {
    // A reader that knows them without having read any has variables only.
    distinct_variables_ = tables().locations.size() == 0;
    return {};
  }
  bool allocates = false;
  for (;;) {
    auto got = reader_->read(raw_);
    if (!got) return std::unexpected(std::move(got).error());
    if (*got == 0) break;
    for (const Event& e : std::span(raw_).first(*got)) allocates |= e.kind == EventKind::Alloc;
  }
  distinct_variables_ = !allocates && CellMap(tables()).is_identity();
  return {};
}

void TraceStream::restart() {
  reader_->rewind();
  raw_events_ = 0;
  normalizer_ = std::make_unique<Normalizer>(
      tables(), distinct_variables_ ? nullptr : std::make_unique<CellMap>(tables()));
}

Result<std::span<const Event>> TraceStream::next() {
  batch_.clear();
  // A batch may hold nothing but folded events; that is not the end.
  while (batch_.empty()) {
    auto got = reader_->read(raw_);
    if (!got) return std::unexpected(std::move(got).error());
    if (*got == 0) break;
    raw_events_ += *got;
    if (auto done = normalizer_->run(std::span(raw_).first(*got), batch_); !done) {
      Diagnostic diagnostic = std::move(done).error();
      diagnostic.where = reader_->position(normalizer_->failed_at());
      diagnostic.notes.push_back(
          fmt::format("event {} of the trace", to_index(normalizer_->failed_at())));
      return std::unexpected(std::move(diagnostic));
    }
  }
  return std::span<const Event>(batch_);
}

std::unique_ptr<TraceReader> TraceStream::take_reader() && {
  reader_->rewind();
  return std::move(reader_);
}

Result<Trace> TraceStream::load() && {
  restart();
  Trace trace;
  for (;;) {
    auto batch = next();
    if (!batch) return std::unexpected(std::move(batch).error());
    if (batch->empty()) break;
    trace.events.insert(trace.events.end(), batch->begin(), batch->end());
  }
  trace.cells = cell_table();
  trace.tables = std::move(reader_->tables());
  return trace;
}

}  // namespace foretell
