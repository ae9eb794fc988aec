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
  // A batch may hold nothing but folded events; that is not the end.
  do {
    auto got = next_batch();
    if (!got) return std::unexpected(std::move(got).error());
  } while (batch_.empty() && raw_count_ > 0);
  return std::span<const Event>(batch_);
}

// Reads one raw batch and normalizes it.
Result<void> TraceStream::next_batch() {
  batch_.clear();
  raw_count_ = 0;
  auto got = reader_->read(raw_);
  if (!got) return std::unexpected(std::move(got).error());
  raw_count_ = *got;
  raw_events_ += *got;
  if (auto done = normalizer_->run(std::span(raw_).first(*got), batch_); !done) {
    Diagnostic diagnostic = std::move(done).error();
    diagnostic.where = reader_->position(normalizer_->failed_at());
    diagnostic.notes.push_back(
        fmt::format("event {} of the trace", to_index(normalizer_->failed_at())));
    return std::unexpected(std::move(diagnostic));
  }
  if (folded_ != nullptr) add_folded();
  return {};
}

// Events of the last raw batch that left nothing in the normalized one.
void TraceStream::add_folded() const {
  auto kept = batch_.begin();
  for (const Event& e : std::span(raw_).first(raw_count_)) {
    if (kept == batch_.end() || kept->index != e.index) folded_->push_back(e);
    while (kept != batch_.end() && kept->index == e.index) ++kept;
  }
}

std::unique_ptr<TraceReader> TraceStream::take_reader() && {
  reader_->rewind();
  return std::move(reader_);
}

Result<Trace> TraceStream::load() && {
  restart();
  Trace trace;
  collect_folded(&trace.folded);
  for (;;) {
    if (auto got = next_batch(); !got) return std::unexpected(std::move(got).error());
    if (raw_count_ == 0) break;
    trace.events.insert(trace.events.end(), batch_.begin(), batch_.end());
  }
  trace.cells = cell_table();
  trace.tables = std::move(reader_->tables());
  return trace;
}

}  // namespace foretell
