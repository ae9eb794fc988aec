// SPDX-License-Identifier: Apache-2.0

// ReducedReader: a trace as its Reduction leaves it, read like any other.
#pragma once

#include <memory>
#include <vector>

#include "trace/reader.h"
#include "trace/reduction.h"

namespace foretell::trace {

class ReducedReader final : public TraceReader {
 public:
  // Reads the whole trace once. Fails if it is no run.
  static Result<std::unique_ptr<ReducedReader>> open(std::unique_ptr<TraceReader> whole);

  Result<size_t> read(std::span<Event> out) override;
  void rewind() override;
  bool locations_known() const override { return whole_->locations_known(); }
  std::string position(EventIndex index) const override;
  double progress() const override { return whole_->progress(); }

  // Of what was read since the last rewind.
  const ReductionCounts& counts() const { return reduction_->counts(); }

 private:
  explicit ReducedReader(std::unique_ptr<TraceReader> whole) : whole_(std::move(whole)) {}
  Result<void> look_at_all();
  std::unexpected<Diagnostic> failure(Diagnostic diagnostic, EventIndex index) const;

  std::unique_ptr<TraceReader> whole_;
  std::unique_ptr<Reduction> reduction_;
  std::vector<Event> batch_;
  size_t next_ = 0;  // in batch_
  uint64_t written_ = 0;
};

}  // namespace foretell::trace
