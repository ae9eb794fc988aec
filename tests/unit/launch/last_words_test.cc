#include "launch/last_words.h"

#include <gtest/gtest.h>

namespace foretell {
namespace {

TEST(LastWords, OrdinaryOutputHasNone) {
  EXPECT_EQ(last_words_in(""), "");
  EXPECT_EQ(last_words_in("total 3\nerror: no such file\n"), "");
}

TEST(LastWords, AddressesAreLeftOut) {
  EXPECT_EQ(
      last_words_in(
          "=====\n==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x5 at pc 0x7\n"),
      "AddressSanitizer: heap-use-after-free");
}

TEST(LastWords, AnAssertionIsQuotedToTheEndOfItsLine) {
  EXPECT_EQ(last_words_in("sum 1\nbank: bank.cc:9: int main(): Assertion `sum == 2' failed.\n"),
            "Assertion `sum == 2' failed.");
}

TEST(LastWords, TheFirstOfSeveralCounts) {
  EXPECT_EQ(last_words_in(
                "terminate called after throwing an instance of 'int'\nfree(): invalid pointer\n"),
            "terminate called after throwing an instance of 'int'");
}

TEST(LastWords, LongOnesAreCut) {
  const std::string words = last_words_in("Assertion `" + std::string(500, 'x') + "' failed.");
  EXPECT_EQ(words.size(), 103u);
  EXPECT_TRUE(words.ends_with("xxx..."));
}

}  // namespace
}  // namespace foretell
