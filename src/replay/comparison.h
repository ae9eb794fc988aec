// Where a replayed run leaves the run it should have been, and why.
//
// Both are sequences of raw events. Threads are told apart by who created them as how manieth,
// synchronization objects by the order in which they are met, global variables by name: none of
// this depends on addresses. The first event that has another thread, operation, site or object is
// the difference; its reason, most often, is the last value its thread read that was another one.
//
// Values alone are no difference: pointers, times and process ids change from run to run and mostly
// nothing follows from it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/reader.h"

namespace foretell {

struct Difference {
  uint64_t step = 0;  // from 1
  std::string text;   // "T2 took the other branch at q.cpp:40 because it read 0, not 7"
};

// The events a witness expects: those of a trace before `prefix_end`, then chosen ones.
class ExpectedRun {
 public:
  static Result<ExpectedRun> open(std::unique_ptr<TraceReader> recorded, uint64_t prefix_end,
                                  std::span<const EventIndex> tail);

  // The next event; nothing at the end.
  Result<std::optional<Event>> next();
  const TraceTables& tables() const { return reader_->tables(); }
  // The k-th thread that `parent` creates in the recorded run.
  std::optional<ThreadId> child(ThreadId parent, size_t k) const;

 private:
  explicit ExpectedRun(std::unique_ptr<TraceReader> reader)
      : reader_(std::move(reader)), batch_(kBatchSize) {}
  Result<void> find_tail(std::span<const EventIndex> tail);

  std::unique_ptr<TraceReader> reader_;
  uint64_t prefix_end_ = 0;
  std::vector<Event> tail_;
  std::vector<std::vector<ThreadId>> children_;  // by parent
  std::vector<Event> batch_;
  size_t batch_size_ = 0, batch_at_ = 0;
  uint64_t given_ = 0;
};

// Nothing if `seen` begins with all that is expected.
Result<std::optional<Difference>> first_difference(ExpectedRun& expected, TraceReader& seen);

}  // namespace foretell
