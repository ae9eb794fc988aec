// SPDX-License-Identifier: Apache-2.0

// A finding as a regression test: a description that recognizes it in another build.
//
// Lines move and addresses change, so a bug is its kind and, for each event, the function and what
// is accessed there, as the source writes it. A fix changes neither: it makes the finding go away.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"

namespace foretell::replay {

struct KnownBug {
  std::string name;  // "race-1"
  finding::FindingKind kind = finding::FindingKind::race;
  std::vector<std::string> places;  // sorted: "deposit: account.balance"

  // Whether a finding is this bug. In a real hang more threads are stuck than those that cause it.
  bool is(const finding::Finding& finding) const;
};

KnownBug bug_of(const finding::Finding& finding);
std::string to_json(const KnownBug& bug);
Result<KnownBug> read_bug(const std::string& path);

}  // namespace foretell::replay
