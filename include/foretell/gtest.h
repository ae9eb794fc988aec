/* SPDX-License-Identifier: Apache-2.0 */

/* Tells Foretell which GoogleTest case runs, so that `foretell test` can name it in its findings.
 *
 * Including this in one source of a test program, or in many, is enough. Without Foretell's runtime
 * it does nothing.
 */
#ifndef FORETELL_GTEST_H
#define FORETELL_GTEST_H

#include <gtest/gtest.h>

#include <string>

#include "foretell.h"

namespace foretell {

// Reports a user event "test:Suite.Case" when a case begins (1) and when it ends (0).
class GoogleTestListener : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo& test) override { tell(test, 1); }
  void OnTestEnd(const ::testing::TestInfo& test) override { tell(test, 0); }

  // Appends one to GoogleTest's listeners, which own it.
  static bool add() {
    ::testing::UnitTest::GetInstance()->listeners().Append(new GoogleTestListener);
    return true;
  }

 private:
  static void tell(const ::testing::TestInfo& test, int begins) {
    const std::string name = std::string("test:") + test.test_suite_name() + '.' + test.name();
    FORETELL_EVENT(name.c_str(), begins, 0);
  }
};

// Once per program, however many sources include this.
inline const bool google_test_listener_added = GoogleTestListener::add();

}  // namespace foretell

#endif
