// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/congruence.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>

namespace foretell::static_analysis::domain {
namespace {

constexpr __int128 kLargestModulus = __int128{1} << 62;

__int128 absolute(__int128 value) {
  return value < 0 ? -value : value;
}

__int128 common_divisor(__int128 a, __int128 b) {
  for (a = absolute(a), b = absolute(b); b != 0;) {
    const __int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Numbers that are `remainder` modulo `modulus` before they are brought to the width.
Congruence brought_to_width(unsigned bits, __int128 modulus, __int128 remainder,
                            Overflow overflow) {
  modulus = absolute(modulus);
  if (overflow == Overflow::wraps) modulus = common_divisor(modulus, __int128{1} << bits);
  // A large modulus may be a multiple of useful ones: the powers of two are.
  if (modulus >= kLargestModulus) modulus = common_divisor(modulus, kLargestModulus / 2);
  return Congruence::modulo(bits, static_cast<uint64_t>(modulus),
                            static_cast<int64_t>(remainder % modulus));
}

bool is_mask(int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<uint64_t>(value) + 1);
}

}  // namespace

Congruence Congruence::modulo(unsigned bits, uint64_t modulus, int64_t remainder) {
  if (modulus == 0) return of(bits, remainder);
  const auto m = static_cast<int64_t>(modulus);
  return {bits, false, modulus, ((remainder % m) + m) % m};
}

bool Congruence::contains(int64_t value) const {
  if (is_bottom_) return false;
  if (modulus_ == 0) return value == remainder_;
  return (__int128{value} - remainder_) % static_cast<__int128>(modulus_) == 0;
}

bool Congruence::is_below(const Congruence& other) const {
  if (is_bottom_) return true;
  if (other.is_bottom_ || !other.contains(remainder_)) return false;
  if (other.modulus_ == 0) return modulus_ == 0;
  return modulus_ % other.modulus_ == 0;
}

Congruence Congruence::join(const Congruence& other) const {
  if (is_bottom_) return other;
  if (other.is_bottom_) return *this;
  const __int128 modulus = common_divisor(common_divisor(modulus_, other.modulus_),
                                          __int128{remainder_} - other.remainder_);
  if (modulus == 0) return *this;
  return brought_to_width(bits_, modulus, remainder_, Overflow::excluded);
}

Congruence Congruence::meet(const Congruence& other) const {
  if (is_bottom_ || other.is_bottom_) return bottom(bits_);
  if (modulus_ == 0) return other.contains(remainder_) ? *this : bottom(bits_);
  if (other.modulus_ == 0) return contains(other.remainder_) ? other : bottom(bits_);
  const __int128 divisor = common_divisor(modulus_, other.modulus_);
  if ((__int128{remainder_} - other.remainder_) % divisor != 0) return bottom(bits_);
  const __int128 both = modulus_ / divisor * other.modulus_;
  // Small enough to search for the common remainder, in steps of the larger one.
  const Congruence& larger = modulus_ >= other.modulus_ ? *this : other;
  const Congruence& smaller = modulus_ >= other.modulus_ ? other : *this;
  if (both >= kLargestModulus || smaller.modulus_ / divisor > 4096) return larger;
  for (__int128 at = larger.remainder_; at < both; at += larger.modulus_)
    if ((at - smaller.remainder_) % static_cast<__int128>(smaller.modulus_) == 0)
      return modulo(bits_, static_cast<uint64_t>(both), static_cast<int64_t>(at));
  return larger;
}

Congruence Congruence::apply(Operation operation, const Congruence& a, const Congruence& b,
                             Overflow overflow) {
  const unsigned bits = a.bits_;
  if (a.is_bottom_ || b.is_bottom_) return bottom(bits);
  const auto one = a.single(), other = b.single();
  if (one && other) {
    const auto result = evaluate(operation, bits, *one, *other, overflow);
    return result ? of(bits, *result) : bottom(bits);
  }
  const __int128 ma = a.modulus_, mb = b.modulus_, ra = a.remainder_, rb = b.remainder_;
  switch (operation) {
    case Operation::add:
      return brought_to_width(bits, common_divisor(ma, mb), ra + rb, overflow);
    case Operation::sub:
      return brought_to_width(bits, common_divisor(ma, mb), ra - rb, overflow);
    case Operation::mul: {
      if (one == 0 || other == 0) return of(bits, 0);
      const __int128 modulus = common_divisor(common_divisor(ma * mb, ma * rb), mb * ra);
      return brought_to_width(bits, modulus, ra * rb, overflow);
    }
    case Operation::shl:
      if (!other || *other < 0 || *other >= static_cast<int64_t>(bits)) return top(bits);
      return brought_to_width(bits, ma << *other, ra << *other, overflow);
    case Operation::bits_and: {
      if (one == 0 || other == 0) return of(bits, 0);
      // The rest of a division by a power of two.
      const Congruence& number = other ? a : b;
      const auto mask = other ? other : one;
      if (!mask || !is_mask(*mask)) return top(bits);
      const __int128 modulus = common_divisor(number.modulus_, __int128{*mask} + 1);
      return brought_to_width(bits, modulus, number.remainder_, Overflow::excluded);
    }
    default:
      return top(bits);
  }
}

Congruence Congruence::cast(Cast cast, unsigned bits) const {
  if (is_bottom_) return bottom(bits);
  if (const auto value = single()) return of(bits, cast_value(cast, bits_, bits, *value));
  switch (cast) {
    case Cast::truncate:
      return brought_to_width(bits, modulus_, remainder_, Overflow::wraps);
    case Cast::sign_extend:
      return {bits, false, modulus_, remainder_};
    case Cast::zero_extend:
      return brought_to_width(bits, common_divisor(modulus_, __int128{1} << bits_), remainder_,
                              Overflow::excluded);
  }
  return top(bits);
}

Congruence Congruence::assume(Comparison comparison, const Congruence& other) const {
  if (is_bottom_ || other.is_bottom_) return bottom(bits_);
  if (comparison != Comparison::eq) return *this;
  // A meet of large moduli is one of the two.
  const Congruence both = meet(other);
  return both.is_below(*this) ? both : *this;
}

std::string Congruence::text() const {
  if (is_bottom_) return "none";
  if (modulus_ == 0) return fmt::format("{}", remainder_);
  return modulus_ == 1 ? "any" : fmt::format("{} mod {}", remainder_, modulus_);
}

}  // namespace foretell::static_analysis::domain
