// BenignRanges: memory whose races the program has declared harmless (FORETELL_BENIGN_RACE).
//
// The reader of a recording leaves each declared range as a property,
// `benign.1=hits+8:8 from 120 to 340`: the range, and the events between which it holds (from the
// declaration until the memory is freed, or the end). A race on it is never proposed to the judge;
// one with the free itself is, because nobody has declared that harmless.
#pragma once

#include <string_view>
#include <vector>

#include "finding/finding.h"
#include "trace/tables.h"

namespace foretell {

class BenignRanges {
 public:
  // Properties that are not of this form are skipped.
  explicit BenignRanges(const TraceTables& tables);

  bool empty() const { return ranges_.empty(); }

  // True if the race on the memory `cell` is declared harmless.
  bool covers(const Location& cell, const Proposal& race) const;

 private:
  struct Range {
    Location memory;
    EventIndex first{}, end = kNoEvent;
  };

  std::vector<Range> ranges_;
};

}  // namespace foretell
