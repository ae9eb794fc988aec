// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "schedule/schedule.h"
#include "trace/synthetic/pcg.h"

namespace foretell::schedule {

// Up to `most_runs` runs of up to four threads, some of them not created by thread 0.
inline Schedule random_schedule(trace::Pcg& random, uint32_t most_runs) {
  Schedule schedule;
  const uint32_t threads = 1 + random.below(4);
  for (uint32_t t = 2; t < threads; ++t) {
    const uint32_t parent = random.below(t);
    if (parent > 0) schedule.parents.push_back({ThreadNumber{t}, ThreadNumber{parent}});
  }
  const uint32_t runs = random.below(most_runs + 1);
  for (uint32_t i = 0; i < runs; ++i) {
    schedule.append(ThreadNumber{random.below(threads)}, 1 + random.below(20));
  }
  return schedule;
}

}  // namespace foretell::schedule
