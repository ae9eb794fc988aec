// SPDX-License-Identifier: Apache-2.0

// Statements: what a program's facts say of each site, in the terms of slicing (SLICED 2.1, 2.3).
//
// Branches are not recorded, so the statements that decide are the loads that conditions compute
// from: what is in the scope of a branch is in the scope of each of them. Values are followed from
// load to use through registers, arguments and results, across calls whose callee is known. A scope
// takes in all that is called in it.
//
// A site about which this does not tell everything has no statement: it is computed or decided by
// something that leaves no record. Whoever slices must assume the worst of it.
#pragma once

#include <string>
#include <vector>

#include "program/facts.h"

namespace foretell::program {

struct Statement {
  SiteIndex site{};
  std::vector<SiteIndex> scope = {};  // sorted, as all of these
  std::vector<SiteIndex> uses = {};
  std::vector<ObjectIndex> changes = {};  // global variables that the scope may write
};

// By site.
std::vector<Statement> statements_of(const Facts& facts);

}  // namespace foretell::program
