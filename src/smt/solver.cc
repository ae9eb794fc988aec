// SPDX-License-Identifier: Apache-2.0

#include "smt/solver.h"

#include "base/check.h"

namespace foretell::smt {

std::string_view name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::sat:
      return "sat";
    case OutcomeKind::unsat:
      return "unsat";
    case OutcomeKind::unknown:
      return "unknown";
    case OutcomeKind::timeout:
      return "timeout";
  }
  CHECK(false);
  return "";
}

}  // namespace foretell::smt
