// SPDX-License-Identifier: Apache-2.0

// What a read of a nondeterminism finding returned, and what it could have returned instead.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

struct SeenValues {
  std::string recorded;         // "7"; empty if it is not known
  std::string other;            // the same
  std::string recorded_writer;  // "T2 at a.cc:10:5"; "nobody: the initial value"
  std::string other_writer;

  explicit SeenValues(const finding::Finding& finding);
  // "7 or 0", or "not the same value in every schedule".
  std::string both() const;
};

}  // namespace foretell::report
