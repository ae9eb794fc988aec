// SPDX-License-Identifier: Apache-2.0

// The ranges whose races the program calls benign. One ends when its memory is freed.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run_facts.h"

namespace foretell::recording {

class BenignRanges {
 public:
  void begin(uint64_t address, trace::Location memory, EventIndex from) {
    ranges_.push_back({memory, from});
    addresses_.push_back(address);
    ++open_;
  }

  void end_within(uint64_t address, uint64_t size, EventIndex end) {
    for (size_t i = 0; open_ > 0 && i < ranges_.size(); ++i) {
      if (ranges_[i].end != kNoEvent || addresses_[i] - address >= size) continue;
      ranges_[i].end = end;
      --open_;
    }
  }

  void clear() { *this = {}; }
  const std::vector<trace::BenignRange>& all() const { return ranges_; }

 private:
  std::vector<trace::BenignRange> ranges_;
  std::vector<uint64_t> addresses_;  // of ranges_
  size_t open_ = 0;                  // of ranges_, whose memory was not freed
};

}  // namespace foretell::recording
