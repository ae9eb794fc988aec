// SPDX-License-Identifier: Apache-2.0

// SectionHistory: the critical sections of one lock in recorded order, for the question
// "does this set of events contain a later section that excludes this one?"
//
// The set is a clock. A section is in it if its begin is: if the step of its begin is at most the
// component of its thread. Most questions are answered by the next few sections; otherwise the last
// section in the set of each thread is found by bisection: O(threads log sections).
//
// The same list, with notifies in place of sections, serves the conditions.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/race/sync_preserving/step_clocks.h"

namespace foretell::analysis {

struct Section {
  uint32_t thread : 31;
  uint32_t shared : 1;
  Step begin;
  Step end;       // 0: not yet
  ClockId clock;  // what its end needs; while there is no end, what its begin needs
};
static_assert(sizeof(Section) == 16);

class SectionHistory {
 public:
  uint32_t add(const Section& section);

  const Section& operator[](uint32_t index) const { return sections_[index]; }
  void end(uint32_t index, Step step, ClockId clock) {
    sections_[index].end = step;
    sections_[index].clock = clock;
  }
  uint32_t size() const { return static_cast<uint32_t>(sections_.size()); }

  // Whether `set` contains a section from `index` on, of whatever mode or only exclusive.
  bool contains_from(uint32_t index, bool only_exclusive, const Step* set) const;

 private:
  // Sections of one thread, by number.
  struct OfThread {
    uint32_t thread;
    std::vector<uint32_t> exclusive, shared;
  };
  bool reaches(const std::vector<uint32_t>& numbers, uint32_t index, Step step) const;

  std::vector<Section> sections_;
  std::vector<OfThread> threads_;
};

}  // namespace foretell::analysis
