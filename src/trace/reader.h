// SPDX-License-Identifier: Apache-2.0

// TraceReader: what every trace format looks like to the rest of Foretell.
//
// A reader turns bytes into raw events, a batch at a time and in bounded memory, and fills the
// tables on the way. It checks the format only; the rules of a well-formed run are the
// normalizer's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/input_file.h"
#include "trace/event.h"
#include "trace/tables.h"
#include "trace/trace.h"

namespace foretell::trace {

inline constexpr size_t kBatchSize = 4096;

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  // Fills the front of `out` with the next events; returns how many, 0 at the end. Sets
  // Event::index. Never throws.
  virtual Result<size_t> read(std::span<Event> out) = 0;

  // Starts again at the first event. Ids stay what they were.
  virtual void rewind() = 0;

  TraceTables& tables() { return tables_; }
  const TraceTables& tables() const { return tables_; }

  // True if the locations are distinct variables, or already all in the tables, so that no extra
  // pass is needed to find where locations overlap.
  virtual bool locations_known() const { return false; }

  // How many events there are, if that is known before they are read.
  virtual std::optional<uint64_t> event_count() const { return std::nullopt; }

  // False if the events are in memory already and reading them decodes nothing.
  virtual bool is_decoding() const { return true; }

  // What a user should know about the input although it is readable: a torn end, skipped lines.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

  // Where a message about the event read last should point: "race.tiddle:12" or "event 11".
  virtual std::string position(EventIndex index) const = 0;

  // How much of the input was read, 0 to 1, for progress.
  virtual double progress() const = 0;

 protected:
  TraceReader() : tables_(own_tables_) {}
  // For events that share their tables with others.
  explicit TraceReader(TraceTables& shared) : tables_(shared) {}

  static double fraction(size_t done, size_t all) {
    return all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
  }

  TraceTables& tables_;
  std::vector<Diagnostic> warnings_;

 private:
  TraceTables own_tables_;
};

// Everything `reader` still has, as one raw trace. Takes the reader's tables with it.
Result<Trace> read_all(TraceReader& reader);

}  // namespace foretell::trace
