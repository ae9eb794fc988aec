// SPDX-License-Identifier: Apache-2.0

#include "launch/failure_message.h"

#include <gtest/gtest.h>

namespace foretell::launch {
namespace {

TEST(FailureMessage, OrdinaryOutputHasNone) {
  EXPECT_EQ(failure_message_in(""), "");
  EXPECT_EQ(failure_message_in("total 3\nerror: no such file\n"), "");
}

TEST(FailureMessage, AddressesAreLeftOut) {
  EXPECT_EQ(
      failure_message_in(
          "=====\n==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x5 at pc 0x7\n"),
      "AddressSanitizer: heap-use-after-free");
}

TEST(FailureMessage, AnAssertionIsQuotedToTheEndOfItsLine) {
  EXPECT_EQ(
      failure_message_in("sum 1\nbank: bank.cc:9: int main(): Assertion `sum == 2' failed.\n"),
      "Assertion `sum == 2' failed.");
}

TEST(FailureMessage, TheFirstOfSeveralCounts) {
  EXPECT_EQ(failure_message_in(
                "terminate called after throwing an instance of 'int'\nfree(): invalid pointer\n"),
            "terminate called after throwing an instance of 'int'");
}

TEST(FailureMessage, LongOnesAreCut) {
  const std::string words = failure_message_in("Assertion `" + std::string(500, 'x') + "' failed.");
  EXPECT_EQ(words.size(), 103u);
  EXPECT_TRUE(words.ends_with("xxx..."));
}

}  // namespace
}  // namespace foretell::launch
