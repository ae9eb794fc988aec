// SPDX-License-Identifier: Apache-2.0

// Which location a block of the heap is while it lives.
//
// Allocation of what is allocated already (its free was not recorded) is one byte longer, so that it
// is another object. A second free of the same memory frees something that no other event names.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "trace/recording/locations.h"
#include "trace/tables.h"

namespace foretell::recording {

class HeapBlocks {
 public:
  HeapBlocks(trace::TraceTables& tables, LocationTable& locations)
      : tables_(tables), locations_(locations) {}

  LocationId allocate(uint64_t address, uint64_t size);

  struct Freed {
    LocationId location{};
    bool is_first = true;  // nobody freed it before
  };
  Freed free(uint64_t address);

  void rewind();

 private:
  uint8_t& is_live(LocationId location);

  trace::TraceTables& tables_;
  LocationTable& locations_;
  absl::flat_hash_map<uint64_t, LocationId> allocations_;  // by address: the last one there
  std::vector<uint8_t> live_;                              // by location: allocated, not freed
  std::vector<LocationId> void_frees_;                     // what second frees name
  size_t void_frees_used_ = 0;                             // in this pass
};

}  // namespace foretell::recording
