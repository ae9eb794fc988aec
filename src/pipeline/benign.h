// SPDX-License-Identifier: Apache-2.0

// BenignRanges: memory whose races the program has declared harmless (FORETELL_BENIGN_RACE).
//
// The trace says which (RunFacts::benign): a range, and the events between which it holds (from the
// declaration until the memory is freed, or the end). A race on it is never proposed to the judge;
// a race with the free itself is, because that was not declared harmless.
#pragma once

#include <vector>

#include "finding/finding.h"
#include "trace/tables.h"

namespace foretell::pipeline {

class BenignRanges {
 public:
  explicit BenignRanges(const trace::TraceTables& tables) : ranges_(tables.facts.benign) {}

  bool empty() const { return ranges_.empty(); }

  // True if the race on the memory `cell` is declared harmless.
  bool covers(const trace::Location& cell, const finding::Proposal& race) const;

 private:
  std::vector<trace::BenignRange> ranges_;
};

}  // namespace foretell::pipeline
