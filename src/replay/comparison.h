// SPDX-License-Identifier: Apache-2.0

// Where a replayed run diverges from the expected run, and why.
//
// Both are sequences of raw events. Threads are identified by their parent and their number among
// its children, synchronization objects by the order of first use, global variables by name. None
// of this depends on addresses. The first event with another thread, operation, site or object is
// the difference. Its reason is usually the last different value that its thread read.
//
// Values alone are not a difference: pointers, times and process ids change from run to run,
// usually without consequences.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/reader.h"

namespace foretell::replay {

struct Difference {
  uint64_t step = 0;  // from 1
  std::string text;   // "T2 took the other branch at q.cpp:40 because it read 0, not 7"
};

// The events a witness expects: those of a trace before `prefix_end`, then chosen ones.
class ExpectedRun {
 public:
  static Result<ExpectedRun> open(std::unique_ptr<trace::TraceReader> recorded, uint64_t prefix_end,
                                  std::span<const EventIndex> tail);

  // The next event; nothing at the end.
  Result<std::optional<trace::Event>> next();
  const trace::TraceTables& tables() const { return reader_->tables(); }
  // The k-th thread that `parent` creates in the recorded run.
  std::optional<ThreadId> child(ThreadId parent, size_t k) const;

 private:
  explicit ExpectedRun(std::unique_ptr<trace::TraceReader> reader)
      : reader_(std::move(reader)), batch_(trace::kBatchSize) {}
  Result<void> find_tail(std::span<const EventIndex> tail);

  std::unique_ptr<trace::TraceReader> reader_;
  uint64_t prefix_end_ = 0;
  std::vector<trace::Event> tail_;
  std::vector<std::vector<ThreadId>> children_;  // by parent
  std::vector<trace::Event> batch_;
  size_t batch_size_ = 0, batch_at_ = 0;
  uint64_t given_ = 0;
};

// Nothing if `seen` begins with all that is expected.
Result<std::optional<Difference>> first_difference(ExpectedRun& expected, trace::TraceReader& seen);

}  // namespace foretell::replay
