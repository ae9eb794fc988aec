// SPDX-License-Identifier: Apache-2.0

#include "base/check.h"

#include <unistd.h>

#include <cstdio>

#include "base/exit_code.h"

namespace foretell {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "foretell: internal error: %s does not hold (%s:%d)\n", condition, file,
               line);
  std::fflush(nullptr);
  _exit(static_cast<int>(ExitCode::internal_error));
}

}  // namespace foretell
