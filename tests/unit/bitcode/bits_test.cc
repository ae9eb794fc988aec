// SPDX-License-Identifier: Apache-2.0

// Sets of numbers, compared with std::set on random operations.

#include "bitcode/points_to/bits.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace foretell::bitcode {
namespace {

using Model = std::set<uint32_t>;

Model members(const Bits& bits) {
  Model model;
  bits.for_each([&](uint32_t number) { EXPECT_TRUE(model.insert(number).second); });
  return model;
}

TEST(Bits, BehaveLikeASet) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    Bits bits[3];
    Model models[3];
    for (int i = 0; i < 3; i++) {
      for (uint32_t left = random() % 20; left > 0; left--) {
        const uint32_t number = random() % 400;
        EXPECT_EQ(bits[i].insert(number), models[i].insert(number).second);
      }
    }
    Model sum = models[0], without = models[0], common, rest = models[0];
    sum.insert(models[1].begin(), models[1].end());
    for (uint32_t number : models[1])
      if (!models[2].contains(number)) without.insert(number);
    for (uint32_t number : models[0])
      if (models[1].contains(number)) common.insert(number), rest.erase(number);
    Bits a = bits[0], b = bits[0], c = bits[0], d = bits[0];
    EXPECT_EQ(a.add(bits[1]), sum != models[0]);
    EXPECT_EQ(b.add_new(bits[1], bits[2]), without != models[0]);
    c.keep_common(bits[1]);
    d.remove(bits[1]);
    EXPECT_EQ(members(a), sum);
    EXPECT_EQ(members(b), without);
    EXPECT_EQ(members(c), common);
    EXPECT_EQ(members(d), rest);
    EXPECT_EQ(a.count(), sum.size());
    for (uint32_t number = 0; number < 400; number++)
      ASSERT_EQ(a.contains(number), sum.contains(number));
  }
}

}  // namespace
}  // namespace foretell::bitcode
