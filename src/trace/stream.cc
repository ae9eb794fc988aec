// SPDX-License-Identifier: Apache-2.0

#include "trace/stream.h"

#include <algorithm>
#include <utility>

namespace foretell::trace {

TraceStream::TraceStream(std::unique_ptr<TraceReader> reader)
    : reader_(std::move(reader)), raw_(kBatchSize) {
  batch_.reserve(2 * kBatchSize);
}

Result<TraceStream> TraceStream::open(std::unique_ptr<TraceReader> reader,
                                      const std::function<bool()>& is_over) {
  TraceStream stream(std::move(reader));
  if (auto done = stream.find_locations(is_over); !done)
    return std::unexpected(std::move(done).error());
  stream.restart();
  return stream;
}

Result<void> TraceStream::find_locations(const std::function<bool()>& is_over) {
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
    if (is_over && is_over()) {
      Diagnostic cut_short{"there was no time to read the trace once, so nothing was analyzed", ""};
      cut_short.exit_code = ExitCode::cut_short;
      return std::unexpected(std::move(cut_short));
    }
    for (const Event& e : std::span(raw_).first(*got)) allocates |= e.kind == EventKind::Alloc;
  }
  conversions_.decoded += reader_->is_decoding();
  distinct_variables_ = !allocates && CellMap(tables()).is_identity();
  return {};
}

void TraceStream::restart() {
  raw_events_ = 0;
  next_kept_ = 0;
  if (keeping_ == Keeping::whole) return;
  reader_->rewind();
  normalizer_ = std::make_unique<Normalizer>(
      tables(), distinct_variables_ ? nullptr : std::make_unique<CellMap>(tables()));
  start_keeping();
}

void TraceStream::keep(uint64_t most) {
  most_kept_ = most;
  restart();
}

void TraceStream::start_keeping() {
  kept_ = {};
  // How many stay of a trace without some of its events is seen when they are read.
  const uint64_t expected = leaves_out_ ? 0 : reader_->event_count().value_or(0);
  keeping_ = most_kept_ > 0 && expected <= most_kept_ ? Keeping::in_this_pass : Keeping::no;
  // Accesses of several cells make it longer. Pages that are not needed cost nothing.
  if (keeping_ == Keeping::in_this_pass) kept_.events.reserve(expected + expected / 8);
}

double TraceStream::progress() const {
  if (keeping_ != Keeping::whole) return reader_->progress();
  if (kept_.batches.empty()) return 1;
  return static_cast<double>(next_kept_) / static_cast<double>(kept_.batches.size());
}

Result<std::span<const Event>> TraceStream::next() {
  if (keeping_ == Keeping::whole) return next_kept();
  // A batch may hold nothing but folded events; that is not the end.
  for (;;) {
    FORETELL_TRY(batch, next_batch());
    if (!batch.empty() || raw_count_ == 0) return batch;
  }
}

// Reads one raw batch and normalizes it.
Result<std::span<const Event>> TraceStream::next_batch() {
  if (raw_events_ == 0) {
    conversions_.decoded += reader_->is_decoding();
    ++conversions_.normalized;
  }
  if (keeping_ == Keeping::in_this_pass && is_too_long_to_keep()) {
    keeping_ = Keeping::no;
    kept_ = {};
  }
  raw_count_ = 0;
  FORETELL_TRY(got, reader_->read(raw_));
  raw_count_ = got;
  raw_events_ += got;
  const bool keeps = keeping_ == Keeping::in_this_pass;
  std::vector<Event>& out = keeps ? kept_.events : batch_;
  if (!keeps) out.clear();
  const size_t begin = out.size();
  if (auto done = normalizer_->run(std::span(raw_).first(got), out); !done) {
    Diagnostic diagnostic = std::move(done).error();
    diagnostic.where = reader_->position(normalizer_->failed_at());
    diagnostic.notes.push_back(
        fmt::format("event {} of the trace", to_index(normalizer_->failed_at())));
    return std::unexpected(std::move(diagnostic));
  }
  const std::span<const Event> whole = std::span(out).subspan(begin);
  if (folded_ != nullptr) add_folded(whole, *folded_);
  if (keeps) add_folded(whole, kept_.folded);
  if (leaves_out_) {
    out.erase(std::remove_if(out.begin() + static_cast<ptrdiff_t>(begin), out.end(), leaves_out_),
              out.end());
  }
  if (keeps) keep_batch();
  return std::span(out).subspan(begin);
}

bool TraceStream::is_too_long_to_keep() const {
  return (leaves_out_ ? kept_.events.size() : raw_events_) > most_kept_;
}

void TraceStream::keep_batch() {
  if (raw_count_ == 0) {
    keeping_ = Keeping::whole;
    next_kept_ = kept_.batches.size();
    return;
  }
  kept_.batches.push_back({kept_.events.size(), kept_.folded.size(), raw_events_});
}

void TraceStream::leave_out(std::function<bool(const Event&)> leaves_out) {
  leaves_out_ = std::move(leaves_out);
  if (keeping_ != Keeping::whole) {
    restart();
    return;
  }
  std::vector<Event>& events = kept_.events;
  size_t from = 0, to = 0;
  for (Kept::Batch& batch : kept_.batches) {
    for (; from < batch.events_end; ++from) {
      if (!leaves_out_(events[from])) events[to++] = events[from];
    }
    batch.events_end = to;
  }
  events.resize(to);
  events.shrink_to_fit();
  restart();
}

std::span<const Event> TraceStream::next_kept() {
  while (next_kept_ < kept_.batches.size()) {
    const Kept::Batch begin = next_kept_ == 0 ? Kept::Batch{} : kept_.batches[next_kept_ - 1];
    const Kept::Batch& end = kept_.batches[next_kept_++];
    raw_events_ = end.raw_end;
    if (folded_ != nullptr) {
      const auto folded = std::span<const Event>(kept_.folded).first(end.folded_end);
      folded_->insert(folded_->end(), folded.begin() + static_cast<ptrdiff_t>(begin.folded_end),
                      folded.end());
    }
    if (end.events_end > begin.events_end) {
      return std::span<const Event>(kept_.events).first(end.events_end).subspan(begin.events_end);
    }
  }
  return {};
}

// Events of the last raw batch that left nothing in the normalized one.
void TraceStream::add_folded(std::span<const Event> batch, std::vector<Event>& into) const {
  auto kept = batch.begin();
  for (const Event& e : std::span(raw_).first(raw_count_)) {
    if (kept == batch.end() || kept->index != e.index) into.push_back(e);
    while (kept != batch.end() && kept->index == e.index) ++kept;
  }
}

std::unique_ptr<TraceReader> TraceStream::take_reader() && {
  reader_->rewind();
  return std::move(reader_);
}

Result<Trace> TraceStream::load() {
  if (keeping_ != Keeping::whole) {
    keep(UINT64_MAX);
    while (keeping_ != Keeping::whole) {
      if (auto got = next_batch(); !got) return std::unexpected(std::move(got).error());
    }
  }
  Trace trace;
  trace.cells = cell_table();
  trace.events = std::exchange(kept_.events, {});
  trace.folded = std::exchange(kept_.folded, {});
  kept_ = {};
  keeping_ = Keeping::no;
  trace.tables = std::move(reader_->tables());
  return trace;
}

}  // namespace foretell::trace
