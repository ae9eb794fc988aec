// SPDX-License-Identifier: Apache-2.0

// Candidate: a thread as a scheduling strategy sees it.
#pragma once

#include <stdint.h>

namespace foretell::rt {

// What the thread does as soon as it runs.
enum class Pending : uint8_t {
  first_step,       // it has not run yet
  step,             // a step that does not synchronize
  synchronization,  // a step that may
  resumption,       // it goes on after a wait
  yield,            // it goes on after it gave way to others
  outside,          // it comes back from a call that the scheduler does not control
};

struct Candidate {
  uint32_t number = 0;  // in order of creation, from 0; never used again
  Pending pending = Pending::first_step;
  uint64_t priority = 0;  // the strategy's own
};

}  // namespace foretell::rt
