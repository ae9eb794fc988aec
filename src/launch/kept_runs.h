// SPDX-License-Identifier: Apache-2.0

// The runs that .foretell holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::launch {

struct KeptRun {
  enum class State : uint8_t {
    run,         // of foretell run or record
    test,        // of foretell test
    unfinished,  // interrupted, or still being made
  };
  std::string name;  // of its folder
  State state = State::unfinished;
  bool is_latest = false;
  uint64_t bytes = 0;  // on the disk
};

// The oldest first; none if there is no such folder. What is not a folder of a run is left out.
Result<std::vector<KeptRun>> kept_runs(const std::string& root = ".foretell");

// Removes the folder of the run. `latest` then names the newest finished one of the others.
Result<void> remove_run(const std::string& name, const std::string& root = ".foretell");

}  // namespace foretell::launch
