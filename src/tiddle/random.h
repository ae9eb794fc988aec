// SPDX-License-Identifier: Apache-2.0

// Random well-formed traces.
//
// Threads take turns at random, each doing something it may do at that point, of the kinds asked
// for. Towards the end, open sections are closed, waits woken and threads joined, as far as they
// fit. The same options give the same trace on every machine: the generator is splitmix64 and
// numbers are drawn from it by remainder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/trace.h"

namespace foretell::tiddle {

struct RandomOptions {
  uint64_t seed = 1;
  uint32_t threads = 2;
  uint32_t events = 20;    // exactly, unless every thread is stuck before
  uint32_t variables = 2;  // also of conditions, barriers, semaphores, labels, functions: one each
  uint32_t locks = 1;
  uint32_t nesting = 2;    // how many locks, and how many blocks, a thread may have open
  bool fork_join = false;  // thread 1 forks the others and joins them; otherwise all just exist
  bool values = true;      // reads and writes have values
  std::vector<std::string> kinds = {"rd", "wr", "acq", "rel"};  // words of trace/event.def
};

// Fails if a kind is unknown or there is nothing to choose from. Closing kinds come with their
// openers: `rel` with `acq`, `wake` with `wait`, and so on.
Result<trace::Trace> random_trace(const RandomOptions& options);

}  // namespace foretell::tiddle
