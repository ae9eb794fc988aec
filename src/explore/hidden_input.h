// SPDX-License-Identifier: Apache-2.0

// HiddenInput: notices that something steers the program that no event tells of.
//
// After the same history a thread takes the same step and reads the same value, unless its code got
// something from elsewhere: the time, random numbers, another process, memory that uninstrumented
// code writes. All runs are compared with each other here. What differs is no error, but then the
// runs do not say what the program does under every schedule.
//
// Values that look like addresses may differ: memory is allocated in another order. A branch that
// depends on them is noticed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>

#include "explore/explored_run.h"

namespace foretell::explore {

class HiddenInput {
 public:
  // Where the run does something else than an earlier one did after the same history, in words.
  std::optional<std::string> look_at(const ExploredRun& run);

 private:
  absl::flat_hash_map<History, uint64_t> steps_, values_;
};

}  // namespace foretell::explore
