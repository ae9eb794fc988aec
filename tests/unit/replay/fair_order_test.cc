// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "replay/confirm.h"

namespace foretell::replay {
namespace {

using finding::FindingKind;

TEST(FairOrder, TakesOneOfEachKindInTurn) {
  const FindingKind race = FindingKind::race, deadlock = FindingKind::deadlock;
  EXPECT_EQ(fair_order(std::vector{race, race, race, deadlock, deadlock}),
            (std::vector<size_t>{0, 3, 1, 4, 2}));
}

TEST(FairOrder, KeepsTheOrderWithinOneKind) {
  EXPECT_EQ(fair_order(std::vector(4, FindingKind::atomicity)), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(fair_order({}).empty());
}

}  // namespace
}  // namespace foretell::replay
