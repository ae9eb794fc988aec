// SPDX-License-Identifier: Apache-2.0

// The tables of NONDET: A1, a row for each trace, and I, which adds them up.
#pragma once

#include <string>
#include <string_view>

#include "analysis/determinism/determinism.h"

namespace foretell::report {

std::string determinism_table_head();
std::string determinism_table_row(std::string_view name, const trace::Trace& trace,
                                  const analysis::DeterminismResult& result);

// Table I: the traces in which no witness has choice edges, and the others.
class DeterminismSummary {
 public:
  struct Category {
    uint64_t traces = 0;
    analysis::WitnessCounts witnesses, choices;
    double seconds = 0;
  };

  void add(const analysis::DeterminismResult& result);

  const Category& phase_one_sufficient() const { return categories_[0]; }
  const Category& both_phases_required() const { return categories_[1]; }
  std::string text() const;

 private:
  Category categories_[2];
};

}  // namespace foretell::report
