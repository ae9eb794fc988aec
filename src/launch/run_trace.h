// SPDX-License-Identifier: Apache-2.0

// RunTrace: the trace of one recorded run, for as many readers as want it.
//
// Whoever records a run and then analyzes it keeps the events in memory while the recording is read
// (trace/kept_trace.h), and every reader gets them from there. Without them, and for runs that are
// too long to be kept, readers decode the file trace.ftrace.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "launch/run_directory.h"
#include "trace/kept_trace.h"

namespace foretell::launch {

class RunTrace {
 public:
  RunTrace() = default;
  explicit RunTrace(std::string file, std::shared_ptr<trace::KeptTrace> kept = nullptr)
      : file_(std::move(file)), kept_(std::move(kept)) {}
  explicit RunTrace(const RunDirectory& directory) : RunTrace(directory.trace()) {}

  // From the first event. Readers of events in memory belong to one thread.
  Result<std::unique_ptr<trace::TraceReader>> open() const;

  // From here on it is in the file only.
  void leave_memory() { kept_.reset(); }

 private:
  std::string file_;
  std::shared_ptr<trace::KeptTrace> kept_;
};

}  // namespace foretell::launch
