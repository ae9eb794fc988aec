// TraceStream: the normalized events of a trace file, a batch at a time, as often as wanted.
//
// Joins a reader with the normalizer. If the format does not say beforehand where locations
// overlap, a first pass over the input finds out.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "trace/normalizer.h"
#include "trace/reader.h"

namespace foretell {

class TraceStream {
 public:
  static Result<TraceStream> open(std::unique_ptr<TraceReader> reader);

  // The next normalized events, valid until the next call; empty at the end of the trace.
  Result<std::span<const Event>> next();

  // Starts again at the first event. Ids stay what they were.
  void restart();

  // The whole normalized trace, with the ids the stream gives. The stream is spent afterward.
  Result<Trace> load() &&;

  // Raw events that leave nothing in the normalized ones (re-entrant locking) go to `into` from
  // here on, until nullptr is given.
  void collect_folded(std::vector<Event>* into) { folded_ = into; }

  // The reader, at its beginning. The stream is spent afterward.
  std::unique_ptr<TraceReader> take_reader() &&;

  const TraceReader& reader() const { return *reader_; }
  const TraceTables& tables() const { return reader_->tables(); }
  uint64_t raw_events() const { return raw_events_; }  // read since the last start
  size_t location_count() const { return normalizer_->location_count(); }
  Location location(LocationId id) const { return normalizer_->location(id); }
  EventIndex allocation_of(LocationId id) const { return normalizer_->allocation_of(id); }
  std::string location_name(LocationId id) const { return tables().location_name(location(id)); }
  CellTable cell_table() const { return normalizer_->cell_table(); }

 private:
  explicit TraceStream(std::unique_ptr<TraceReader> reader);
  Result<void> find_locations();
  Result<void> next_batch();
  void add_folded() const;

  std::unique_ptr<TraceReader> reader_;
  std::unique_ptr<Normalizer> normalizer_;
  bool distinct_variables_ = false;  // no location overlaps another and nothing is allocated
  uint64_t raw_events_ = 0;
  std::vector<Event> raw_;
  size_t raw_count_ = 0;  // of the last batch, in raw_
  std::vector<Event> batch_;
  std::vector<Event>* folded_ = nullptr;
};

}  // namespace foretell
