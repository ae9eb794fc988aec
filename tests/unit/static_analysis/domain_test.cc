// SPDX-License-Identifier: Apache-2.0

// The laws of abstract domains. On narrow numbers all values are tried, on wide ones random values.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "static_analysis/domain/number.h"
#include "static_analysis/domain/observation.h"

namespace foretell::static_analysis::domain {
namespace {

using Random = std::mt19937_64;

int64_t random_value(unsigned bits, Random& random) {
  // Often near the ends, near zero, or a power of two.
  switch (random() % 5) {
    case 0:
      return wrapped(bits, static_cast<int64_t>(random() % 9) - 4);
    case 1:
      return wrapped(bits, __int128{smallest(bits)} + static_cast<int64_t>(random() % 5) - 2);
    case 2:
      return wrapped(bits, __int128{1} << (random() % bits));
    default:
      return wrapped(bits, static_cast<int64_t>(random()));
  }
}

template <typename D>
D random_element(unsigned bits, Random& random) {
  switch (random() % 12) {
    case 0:
      return D::top(bits);
    case 1:
      return D::bottom(bits);
    default:
      break;
  }
  D element = D::of(bits, random_value(bits, random));
  const int64_t step = static_cast<int64_t>(random() % 7);
  int64_t last = random_value(bits, random);
  for (uint64_t left = random() % 4; left > 0; left--) {
    element = element.join(D::of(bits, last));
    last = wrapped(bits, __int128{last} + step);
  }
  return element;
}

// Some of the values of an element; all of a narrow one.
template <typename D>
std::vector<int64_t> values_of(const D& element, Random& random) {
  const unsigned bits = element.bits();
  std::vector<int64_t> values;
  if (bits <= 4) {
    for (int64_t value = smallest(bits); value <= largest(bits); value++)
      if (element.contains(value)) values.push_back(value);
    return values;
  }
  for (int i = 0; i < 60; i++) {
    const int64_t value = random_value(bits, random);
    if (element.contains(value)) values.push_back(value);
  }
  return values;
}

constexpr unsigned kWidths[] = {1, 2, 3, 4, 8, 32, 64};
constexpr int kDraws = 400;

template <typename D>
class Domains_ : public testing::Test {};
using AllDomains = testing::Types<Interval, Sign, Parity, Constant, Congruence, Number>;
TYPED_TEST_SUITE(Domains_, AllDomains);

TYPED_TEST(Domains_, order_join_and_meet) {
  Random random(1);
  for (const unsigned bits : kWidths)
    for (int i = 0; i < kDraws; i++) {
      const auto a = random_element<TypeParam>(bits, random);
      const auto b = random_element<TypeParam>(bits, random);
      const auto c = random_element<TypeParam>(bits, random);
      EXPECT_TRUE(TypeParam::bottom(bits).is_below(a));
      EXPECT_TRUE(a.is_below(TypeParam::top(bits))) << a.text();
      EXPECT_TRUE(a.is_below(a));
      EXPECT_TRUE(a.is_below(a.join(b)) && b.is_below(a.join(b))) << a.text() << " " << b.text();
      if (a.is_below(b) && b.is_below(c)) EXPECT_TRUE(a.is_below(c));
      // The least upper bound.
      if (a.is_below(c) && b.is_below(c)) EXPECT_TRUE(a.join(b).is_below(c));
      // Order is inclusion, and a meet keeps what both have.
      for (const int64_t value : values_of(a, random)) {
        if (a.is_below(b)) EXPECT_TRUE(b.contains(value)) << a.text() << " " << b.text();
        EXPECT_TRUE(a.join(b).contains(value));
        if (b.contains(value)) EXPECT_TRUE(a.meet(b).contains(value)) << a.text() << b.text();
      }
      EXPECT_FALSE(TypeParam::bottom(bits).contains(0));
    }
}

TYPED_TEST(Domains_, widening_is_an_upper_bound_and_ends) {
  Random random(2);
  const std::vector<int64_t> thresholds = {-100, -1, 0, 1, 10, 1000};
  for (const unsigned bits : kWidths)
    for (int i = 0; i < kDraws / 4; i++) {
      TypeParam at = random_element<TypeParam>(bits, random);
      int changes = 0;
      for (int step = 0; step < 200; step++) {
        const auto next = random_element<TypeParam>(bits, random);
        const auto widened = at.widen(at.join(next), thresholds);
        EXPECT_TRUE(at.is_below(widened) && next.is_below(widened));
        changes += !(widened == at);
        at = widened;
      }
      // Thresholds at both ends, signs, parities, and the divisors of a modulus.
      EXPECT_LE(changes, 90);
    }
}

TYPED_TEST(Domains_, operations_are_sound) {
  Random random(3);
  for (const unsigned bits : kWidths)
    for (int code = 0; code < kOperations; code++)
      for (int i = 0; i < kDraws / 8; i++) {
        const auto operation = static_cast<Operation>(code);
        const auto a = random_element<TypeParam>(bits, random);
        const auto b = random_element<TypeParam>(bits, random);
        for (const Overflow overflow : {Overflow::wraps, Overflow::excluded}) {
          const auto result = TypeParam::apply(operation, a, b, overflow);
          for (const int64_t x : values_of(a, random))
            for (const int64_t y : values_of(b, random)) {
              const auto value = evaluate(operation, bits, x, y, overflow);
              if (value)
                ASSERT_TRUE(result.contains(*value))
                    << bits << " bits, operation " << code << ": " << a.text() << " (" << x << "), "
                    << b.text() << " (" << y << ") is " << *value << ", not in " << result.text();
            }
        }
      }
}

TYPED_TEST(Domains_, casts_are_sound) {
  Random random(4);
  for (const unsigned from : kWidths)
    for (const unsigned to : kWidths)
      for (int i = 0; i < kDraws / 8; i++) {
        const auto a = random_element<TypeParam>(from, random);
        for (const Cast cast : {Cast::truncate, Cast::sign_extend, Cast::zero_extend}) {
          if (cast == Cast::truncate ? to >= from : to <= from) continue;
          const auto result = a.cast(cast, to);
          EXPECT_EQ(result.bits(), to);
          for (const int64_t value : values_of(a, random))
            ASSERT_TRUE(result.contains(cast_value(cast, from, to, value)))
                << from << " to " << to << ": " << a.text() << " (" << value << ") "
                << result.text();
        }
      }
}

TYPED_TEST(Domains_, assumptions_are_sound) {
  Random random(5);
  for (const unsigned bits : kWidths)
    for (int code = 0; code < kComparisons; code++)
      for (int i = 0; i < kDraws / 8; i++) {
        const auto comparison = static_cast<Comparison>(code);
        const auto a = random_element<TypeParam>(bits, random);
        const auto b = random_element<TypeParam>(bits, random);
        const auto result = a.assume(comparison, b);
        EXPECT_TRUE(result.is_below(a)) << a.text() << " " << result.text();
        for (const int64_t x : values_of(a, random))
          for (const int64_t y : values_of(b, random)) {
            EXPECT_EQ(holds(comparison, bits, x, y), holds(swapped(comparison), bits, y, x));
            EXPECT_NE(holds(comparison, bits, x, y), holds(negated(comparison), bits, x, y));
            if (holds(comparison, bits, x, y))
              ASSERT_TRUE(result.contains(x))
                  << bits << " bits, comparison " << code << ": " << a.text() << " " << b.text()
                  << " " << result.text();
          }
      }
}

TEST(Product, parts_sharpen_each_other) {
  const Number even = Number::of(32, 2).join(Number::of(32, 8)).meet(Number::between(32, 3, 100));
  EXPECT_EQ(even.part<Interval>(), Interval::between(32, 8, 8)) << even.text();
  EXPECT_EQ(even.single(), 8);
  const Number positive = Number::between(32, 0, 9).assume(Comparison::ne, Number::of(32, 0));
  EXPECT_EQ(positive.part<Sign>(), Sign::among(32, Sign::kPositive));
  EXPECT_EQ(Number::of(32, 5).part<Parity>(), Parity::of(32, 5));
  EXPECT_TRUE(Number::of(32, 5).meet(Number::of(32, 6)).is_bottom());
}

TEST(Product, precision_that_programs_need) {
  const Number any = Number::top(32);
  // x * 2 is even even if it wraps around; x & 7 is from 0 to 7.
  EXPECT_EQ(Number::apply(Operation::mul, any, Number::of(32, 2), Overflow::wraps).part<Parity>(),
            Parity::among(32, Parity::kEven));
  EXPECT_EQ(
      Number::apply(Operation::bits_and, any, Number::of(32, 7), Overflow::wraps).part<Interval>(),
      Interval::between(32, 0, 7));
  // 1000 - [0, 100] is positive.
  const Number left = Number::apply(Operation::sub, Number::of(32, 1000),
                                    Number::between(32, 0, 100), Overflow::excluded);
  EXPECT_EQ(left.part<Interval>(), Interval::between(32, 900, 1000));
  // The remainder by 3 of multiples of 3.
  const Number threes = Number::of(32, 0).join(Number::of(32, 3)).join(Number::of(32, 9));
  EXPECT_EQ(Number::apply(Operation::add, threes, Number::of(32, 1), Overflow::excluded)
                .part<Congruence>(),
            Congruence::modulo(32, 3, 1));
}

TEST(Observation, names) {
  for (const char* good : {"sign", "parity", "constant", "mod:3", "buckets:0,10"})
    EXPECT_EQ(Observation::parse(good)->name(), good);
  for (const char* bad : {"", "signs", "mod:0", "mod:x", "buckets:", "buckets:3,3", "mod:-1"})
    EXPECT_FALSE(Observation::parse(bad)) << bad;
}

TEST(Observation, block_of_all_values) {
  Random random(6);
  for (const char* name : {"sign", "parity", "constant", "mod:3", "mod:8", "buckets:-3,0,5,100"}) {
    const Observation observation = *Observation::parse(name);
    int in_one = 0;
    for (const unsigned bits : {3U, 8U, 32U})
      for (int i = 0; i < 2000; i++) {
        const auto number = random_element<Number>(bits, random);
        const auto block = observation.block_of(number);
        in_one += block.has_value();
        for (const int64_t value : values_of(number, random))
          if (block) ASSERT_EQ(observation.block_of(value), *block) << name << number.text();
      }
    EXPECT_GT(in_one, 100) << name;
    EXPECT_FALSE(observation.block_of(Number::top(32))) << "the top is in no block";
  }
}

TEST(Floats, laws_and_operations) {
  Random random(7);
  const auto value = [&] {
    switch (random() % 8) {
      case 0:
        return 0.0;
      case 1:
        return std::ldexp(1.0, static_cast<int>(random() % 2100) - 1070);
      case 2:
        return random() % 2 ? HUGE_VAL : -HUGE_VAL;
      case 3:
        return static_cast<double>(static_cast<int64_t>(random() % 21)) - 10;
      case 4:
        return -std::ldexp(1.0, static_cast<int>(random() % 200) - 190);
      default:
        return static_cast<double>(static_cast<int64_t>(random())) / 1e15;
    }
  };
  for (int i = 0; i < 20000; i++) {
    const double x = value(), y = value(), x2 = value(), y2 = value();
    const Floating a = Floating::of(x).join(Floating::of(x2));
    const Floating b = Floating::of(y).join(Floating::of(y2));
    EXPECT_TRUE(a.is_below(a.join(b)) && a.is_below(a.widen(b)) && b.is_below(a.widen(b)));
    if (b.contains(x)) EXPECT_TRUE(a.meet(b).contains(x));
    const double results[] = {x + y, x - y, x * y, x / y};
    for (int code = 0; code < kFloatOperations; code++) {
      const auto operation = static_cast<FloatOperation>(code);
      EXPECT_TRUE(Floating::apply(operation, a, b, 64).contains(results[code]))
          << a.text() << " " << b.text() << " operation " << code << " " << results[code] << " "
          << Floating::apply(operation, a, b, 64).text();
    }
    const float fx = static_cast<float>(x), fy = static_cast<float>(y);
    const float narrow[] = {fx + fy, fx - fy, fx * fy, fx / fy};
    for (int code = 0; code < kFloatOperations; code++)
      EXPECT_TRUE(
          Floating::apply(static_cast<FloatOperation>(code), Floating::of(fx), Floating::of(fy), 32)
              .contains(narrow[code]));
    EXPECT_TRUE(a.rounded_to_float().contains(fx));
    EXPECT_TRUE(a.negated().contains(-x));
    if (x < y) EXPECT_TRUE(a.assume(Comparison::slt, b).contains(x));
    if (x >= y) EXPECT_TRUE(a.assume(Comparison::sge, b).contains(x));
  }
  EXPECT_TRUE(
      Floating::apply(FloatOperation::sub, Floating::top(), Floating::top(), 64).contains(NAN));
}

}  // namespace
}  // namespace foretell::static_analysis::domain
