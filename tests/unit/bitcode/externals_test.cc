// SPDX-License-Identifier: Apache-2.0

#include "bitcode/externals.h"

#include <gtest/gtest.h>

namespace foretell::bitcode {
namespace {

TEST(Externals, CommonOnesAreKnown) {
  const Externals& common = Externals::common();
  EXPECT_EQ(common.of("malloc").effect, Effect::allocates);
  EXPECT_EQ(common.of("memcpy").effect, Effect::copies);
  EXPECT_EQ(common.of("memcpy").writes, 1u);
  EXPECT_EQ(common.of("strlen").writes, 0u);
  EXPECT_TRUE(common.of("strlen").returns);
  EXPECT_FALSE(common.of("strlen").has_state);
  EXPECT_TRUE(common.of("rand").has_state);
  EXPECT_TRUE(common.of("pthread_mutex_lock").synchronizes);
  EXPECT_FALSE(common.of("exit").returns);
  EXPECT_TRUE(common.of("strtol").writes_through(1));
  EXPECT_FALSE(common.of("strtol").writes_through(0));
}

TEST(Externals, WhateverHasNoRowMayDoAnything) {
  const External& unknown = Externals::common().of("surprise");
  EXPECT_EQ(unknown.effect, Effect::unknown);
  EXPECT_TRUE(unknown.writes_through(0) && unknown.writes_through(40));
  EXPECT_TRUE(unknown.has_state);
  EXPECT_FALSE(unknown.returns);
}

TEST(Externals, LaterRowsReplaceEarlierOnesAndLongerPrefixesWin) {
  Externals table;
  ASSERT_TRUE(
      table.read("f touches\nf pure  # sure\n\nlib_* synchronizes\nlib_pure_* pure\n", "a"));
  EXPECT_TRUE(table.of("f").returns);
  EXPECT_TRUE(table.of("lib_lock").synchronizes);
  EXPECT_FALSE(table.of("lib_pure_one").synchronizes);
  EXPECT_EQ(table.of("lib").effect, Effect::unknown);
}

TEST(Externals, MistakesAreNamedWithTheirLine) {
  for (const char* line : {"f", "f purr", "f writes=", "f writes=0", "f writes=1,", "f writes=x"}) {
    Externals table;
    const auto read = table.read(std::string("g pure\n") + line + "\n", "my.spec");
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().where, "my.spec:2");
  }
}

}  // namespace
}  // namespace foretell::bitcode
