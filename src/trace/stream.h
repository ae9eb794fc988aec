// SPDX-License-Identifier: Apache-2.0

// TraceStream: the normalized events of a trace, a batch at a time, as often as wanted.
//
// Joins a reader with the normalizer. If the format does not say beforehand where locations
// overlap, a first pass over the input finds out.
//
// A pass decodes and normalizes the input again, in bounded memory, unless keep() was called: then
// the first whole pass leaves its normalized events in memory, and later passes take them from
// there. They have the same batches.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "trace/conversion_count.h"
#include "trace/normalizer.h"
#include "trace/reader.h"

namespace foretell::trace {

class TraceStream {
 public:
  // Reading ahead, if the format needs it, fails as cut short when `is_over` becomes true.
  static Result<TraceStream> open(std::unique_ptr<TraceReader> reader,
                                  const std::function<bool()>& is_over = {});

  // The next normalized events, valid until the next call; empty at the end of the trace.
  Result<std::span<const Event>> next();

  // Starts again at the first event. Ids stay what they were.
  void restart();

  // Traces of at most `most` raw events stay in memory after the next whole pass, 40 bytes for each
  // normalized event.
  void keep(uint64_t most);

  // From here on the stream is without the events of which `leaves_out` is true, and what is kept in
  // memory is, too. `keep` then counts the events that stay. To be called between passes.
  void leave_out(std::function<bool(const Event&)> leaves_out);
  // Whether the events that stay are in memory.
  bool is_kept() const { return keeping_ == Keeping::whole; }

  // The whole normalized trace, with the ids the stream gives: what was kept, else another pass.
  // The tables are in it, and not in the stream any more until give_back().
  Result<Trace> load();
  void give_back(Trace trace) { reader_->tables() = std::move(trace.tables); }

  // Raw events that leave nothing in the normalized ones (re-entrant locking) go to `into` from
  // here on, until nullptr is given.
  void collect_folded(std::vector<Event>* into) { folded_ = into; }

  // The reader, at its beginning. The stream is spent afterward.
  std::unique_ptr<TraceReader> take_reader() &&;

  const TraceReader& reader() const { return *reader_; }
  const TraceTables& tables() const { return reader_->tables(); }
  uint64_t raw_events() const { return raw_events_; }  // read since the last start
  double progress() const;                             // of this pass, 0 to 1
  const ConversionCount& conversions() const { return conversions_; }
  size_t location_count() const { return normalizer_->location_count(); }
  Location location(LocationId id) const { return normalizer_->location(id); }
  EventIndex allocation_of(LocationId id) const { return normalizer_->allocation_of(id); }
  std::string location_name(LocationId id) const { return tables().location_name(location(id)); }
  CellTable cell_table() const { return normalizer_->cell_table(); }

 private:
  // What one whole pass gave.
  struct Kept {
    struct Batch {
      size_t events_end, folded_end;  // in `events`, `folded`
      uint64_t raw_end;
    };
    std::vector<Event> events, folded;
    std::vector<Batch> batches;
  };
  enum class Keeping : uint8_t { no, in_this_pass, whole };

  explicit TraceStream(std::unique_ptr<TraceReader> reader);
  Result<void> find_locations(const std::function<bool()>& is_over);
  Result<std::span<const Event>> next_batch();
  std::span<const Event> next_kept();
  void start_keeping();
  void keep_batch();
  bool is_too_long_to_keep() const;
  void add_folded(std::span<const Event> batch, std::vector<Event>& into) const;

  std::unique_ptr<TraceReader> reader_;
  std::unique_ptr<Normalizer> normalizer_;
  bool distinct_variables_ = false;  // no location overlaps another and nothing is allocated
  uint64_t raw_events_ = 0;
  std::vector<Event> raw_;
  size_t raw_count_ = 0;      // of the last batch, in raw_
  std::vector<Event> batch_;  // unless it is kept
  std::vector<Event>* folded_ = nullptr;
  std::function<bool(const Event&)> leaves_out_;  // empty: nothing
  uint64_t most_kept_ = 0;
  Keeping keeping_ = Keeping::no;
  Kept kept_;
  size_t next_kept_ = 0;  // in kept_.batches
  ConversionCount conversions_;
};

}  // namespace foretell::trace
