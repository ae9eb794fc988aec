// SPDX-License-Identifier: Apache-2.0

// CHECK: an invariant of our own code. It stays on in release builds; a failure is a bug in
// Foretell (exit code 70), never a mistake of the user.
#pragma once

namespace foretell {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace foretell

#define CHECK(condition)                                                                        \
  (__builtin_expect(!(condition), 0) ? ::foretell::check_failed(#condition, __FILE__, __LINE__) \
                                     : (void)0)
