// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/sign.h"

namespace foretell::static_analysis::domain {
namespace {

constexpr uint8_t kN = Sign::kNegative, kZ = Sign::kZero, kP = Sign::kPositive;

// Of a + b. Two numbers that are positive may add up to a negative one, but not to zero.
uint8_t sum_of(uint8_t a, uint8_t b, bool wraps) {
  if (a == kZ) return b;
  if (b == kZ) return a;
  if (a != b) return Sign::kAny;
  if (!wraps) return a;
  return a == kP ? kN | kP : Sign::kAny;
}

uint8_t difference_of(uint8_t a, uint8_t b, bool wraps) {
  if (b == kZ) return a;
  if (a == kZ) {
    if (b == kP) return kN;
    return wraps ? kN | kP : kP;  // the least number is its own negation
  }
  if (a == b) return Sign::kAny;
  return wraps ? kN | kP : a;
}

uint8_t product_of_signs(uint8_t a, uint8_t b) {
  return a == b ? kP : kN;
}

uint8_t bits_of(Operation operation, uint8_t a, uint8_t b) {
  const bool negative = a == kN && b == kN;
  switch (operation) {
    case Operation::bits_and:
      if (a == kZ || b == kZ) return kZ;
      return negative ? kN : kZ | kP;
    case Operation::bits_or:
      if (a == kZ) return b;
      if (b == kZ) return a;
      return a == kN || b == kN ? kN : kP;
    default:
      if (a == kZ) return b;
      if (b == kZ) return a;
      return a == b ? kZ | kP : kN;
  }
}

uint8_t quotient_of_signs(Operation operation, uint8_t a, uint8_t b) {
  if (b == kZ) return 0;
  if (a == kZ) return kZ;
  switch (operation) {
    case Operation::sdiv:
      return kZ | product_of_signs(a, b);
    case Operation::srem:
      return kZ | a;
    case Operation::udiv:
      if (a == kP) return b == kP ? kZ | kP : kZ;
      return Sign::kAny;
    default:
      if (b == kP) return kZ | kP;
      return a == kP ? kP : Sign::kAny;
  }
}

uint8_t shift_of(Operation operation, uint8_t a, bool wraps) {
  if (a == kZ) return kZ;
  switch (operation) {
    case Operation::shl:
      return wraps ? Sign::kAny : a;
    case Operation::lshr:
      return a == kP ? kZ | kP : kN | kP;
    default:
      return a == kP ? kZ | kP : kN;
  }
}

uint8_t result_of(Operation operation, uint8_t a, uint8_t b, bool wraps) {
  switch (operation) {
    case Operation::add:
      return sum_of(a, b, wraps);
    case Operation::sub:
      return difference_of(a, b, wraps);
    case Operation::mul:
      if (a == kZ || b == kZ) return kZ;
      return wraps ? Sign::kAny : product_of_signs(a, b);
    case Operation::sdiv:
    case Operation::srem:
    case Operation::udiv:
    case Operation::urem:
      return quotient_of_signs(operation, a, b);
    case Operation::bits_and:
    case Operation::bits_or:
    case Operation::bits_xor:
      return bits_of(operation, a, b);
    case Operation::shl:
    case Operation::lshr:
    case Operation::ashr:
      return shift_of(operation, a, wraps);
  }
  return Sign::kAny;
}

// Whether numbers of these signs may compare so.
bool may_hold(Comparison comparison, uint8_t a, uint8_t b) {
  // Unsigned, negative numbers are the largest.
  const auto rank = [](uint8_t sign) { return sign == kN ? 3 : sign == kZ ? 1 : 2; };
  const auto less = [&](uint8_t x, uint8_t y, bool is_signed) {
    if (x == y) return x != kZ;
    return is_signed ? x < y : rank(x) < rank(y);
  };
  switch (comparison) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a != kZ || b != kZ;
    case Comparison::slt:
      return less(a, b, true);
    case Comparison::sle:
      return a == b || less(a, b, true);
    case Comparison::sgt:
      return less(b, a, true);
    case Comparison::sge:
      return a == b || less(b, a, true);
    case Comparison::ult:
      return less(a, b, false);
    case Comparison::ule:
      return a == b || less(a, b, false);
    case Comparison::ugt:
      return less(b, a, false);
    case Comparison::uge:
      return a == b || less(b, a, false);
  }
  return true;
}

}  // namespace

Sign Sign::apply(Operation operation, const Sign& a, const Sign& b, Overflow overflow) {
  uint8_t mask = 0;
  for (const uint8_t one : {kN, kZ, kP})
    for (const uint8_t other : {kN, kZ, kP})
      if ((a.mask_ & one) && (b.mask_ & other))
        mask |= result_of(operation, one, other, overflow == Overflow::wraps);
  return among(a.bits_, mask);
}

Sign Sign::cast(Cast cast, unsigned bits) const {
  switch (cast) {
    case Cast::truncate:
      return mask_ == kZ || mask_ == 0 ? Sign(bits, mask_) : top(bits);
    case Cast::sign_extend:
      return {bits, mask_};
    case Cast::zero_extend:
      return {bits, (mask_ & kN ? kP : 0) | (mask_ & (kZ | kP))};
  }
  return top(bits);
}

Sign Sign::assume(Comparison comparison, const Sign& other) const {
  uint8_t mask = 0;
  for (const uint8_t one : {kN, kZ, kP})
    for (const uint8_t two : {kN, kZ, kP})
      if ((mask_ & one) && (other.mask_ & two) && may_hold(comparison, one, two)) mask |= one;
  return {bits_, mask};
}

std::string Sign::text() const {
  if (mask_ == 0) return "none";
  std::string text;
  if (mask_ & kN) text += "-";
  if (mask_ & kZ) text += "0";
  if (mask_ & kP) text += "+";
  return text;
}

}  // namespace foretell::static_analysis::domain
