// SPDX-License-Identifier: Apache-2.0

// Stands in for base/check.cc: a failed CHECK must abort, not exit, for libFuzzer to keep the
// input.
#include <cstdio>
#include <cstdlib>

#include "base/check.h"

namespace foretell {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace foretell
