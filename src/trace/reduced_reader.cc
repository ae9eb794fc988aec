// SPDX-License-Identifier: Apache-2.0

#include "trace/reduced_reader.h"

namespace foretell::trace {

Result<std::unique_ptr<ReducedReader>> ReducedReader::open(std::unique_ptr<TraceReader> whole) {
  std::unique_ptr<ReducedReader> reader(new ReducedReader(std::move(whole)));
  if (auto done = reader->look_at_all(); !done) return std::unexpected(std::move(done).error());
  return reader;
}

Result<void> ReducedReader::look_at_all() {
  // Which locations overlap is known when all are.
  std::vector<Event> batch(kBatchSize);
  for (;;) {
    FORETELL_TRY(got, whole_->read(batch));
    if (got == 0) break;
  }
  tables_ = whole_->tables();
  warnings_ = whole_->warnings();
  reduction_ = std::make_unique<Reduction>(tables_);
  whole_->rewind();
  for (;;) {
    FORETELL_TRY(got, whole_->read(batch));
    if (got == 0) break;
    for (const Event& e : std::span(batch).first(got)) {
      if (auto seen = reduction_->look_at(e); !seen) {
        return failure(std::move(seen).error(), e.index);
      }
    }
  }
  rewind();
  return {};
}

Result<size_t> ReducedReader::read(std::span<Event> out) {
  size_t count = 0;
  while (count < out.size()) {
    if (next_ == batch_.size()) {
      batch_.resize(kBatchSize);
      FORETELL_TRY(got, whole_->read(batch_));
      batch_.resize(got);
      next_ = 0;
      if (got == 0) break;
    }
    const Event& e = batch_[next_++];
    auto keeps = reduction_->keeps(e);
    if (!keeps) return failure(std::move(keeps).error(), e.index);
    if (!*keeps) continue;
    out[count] = Reduction::without_values(e);
    out[count++].index = EventIndex{written_++};
  }
  return count;
}

void ReducedReader::rewind() {
  whole_->rewind();
  reduction_->restart();
  batch_.clear();
  next_ = 0;
  written_ = 0;
}

std::string ReducedReader::position(EventIndex index) const {
  return fmt::format("event {} of the reduced trace", to_index(index));
}

std::unexpected<Diagnostic> ReducedReader::failure(Diagnostic diagnostic, EventIndex index) const {
  diagnostic.where = whole_->position(index);
  return std::unexpected(std::move(diagnostic));
}

}  // namespace foretell::trace
