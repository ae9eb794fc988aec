// SPDX-License-Identifier: Apache-2.0

#include "smt/bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"

namespace foretell::smt {
namespace {

// Shift-and-subtract; only for values that do not fit into a word.
std::pair<Bits, Bits> divide_wide(const Bits& a, const Bits& b) {
  Bits quotient(a.width());
  // One bit more than the divisor, so that doubling the remainder never loses one.
  Bits remainder(a.width() + 1);
  const Bits divisor = zero_extend(b, a.width() + 1);
  for (uint32_t i = a.width(); i-- > 0;) {
    remainder = add(remainder, remainder);
    remainder.set_bit(0, a.bit(i));
    if (unsigned_less(remainder, divisor)) continue;
    remainder = subtract(remainder, divisor);
    quotient.set_bit(i, true);
  }
  return {quotient, extract(remainder, 0, a.width())};
}

Bits absolute(const Bits& a) {
  return a.sign() ? negate(a) : a;
}

template <class Operator>
Bits word_by_word(const Bits& a, const Bits& b, Operator op) {
  CHECK(a.width() == b.width());
  Bits result(a.width());
  for (size_t i = 0; i < a.word_count(); ++i) result.mutable_word(i) = op(a.word(i), b.word(i));
  return result;
}

}  // namespace

Bits::Bits(uint32_t width, uint64_t value) : width_(width), words_((width + 63) / 64, 0) {
  CHECK(width > 0);
  words_[0] = width < 64 ? value & ((uint64_t{1} << width) - 1) : value;
}

Bits Bits::all_ones(uint32_t width) {
  return complement(Bits(width));
}

void Bits::set_bit(uint32_t position, bool value) {
  CHECK(position < width_);
  const uint64_t mask = uint64_t{1} << (position % 64);
  words_[position / 64] = value ? words_[position / 64] | mask : words_[position / 64] & ~mask;
}

bool Bits::is_zero() const {
  return std::ranges::all_of(words_, [](uint64_t w) { return w == 0; });
}

bool Bits::is_all_ones() const {
  return complement(*this).is_zero();
}

uint32_t Bits::only_bit() const {
  uint32_t found = width_;
  for (size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == 0) continue;
    if (found != width_ || !std::has_single_bit(words_[i])) return width_;
    found = static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(words_[i]));
  }
  return found;
}

uint64_t Bits::saturated() const {
  const bool fits =
      std::all_of(words_.begin() + 1, words_.end(), [](uint64_t w) { return w == 0; });
  return fits ? words_[0] : std::numeric_limits<uint64_t>::max();
}

Bits&& Bits::trimmed() && {
  if (width_ % 64 != 0) words_.back() &= (uint64_t{1} << (width_ % 64)) - 1;
  return std::move(*this);
}

std::strong_ordering Bits::operator<=>(const Bits& other) const {
  CHECK(width_ == other.width_);
  for (size_t i = words_.size(); i-- > 0;) {
    if (words_[i] != other.words_[i]) return words_[i] <=> other.words_[i];
  }
  return std::strong_ordering::equal;
}

Bits complement(const Bits& a) {
  Bits result(a.width());
  for (size_t i = 0; i < a.word_count(); ++i) result.mutable_word(i) = ~a.word(i);
  return std::move(result).trimmed();
}

Bits negate(const Bits& a) {
  return add(complement(a), Bits(a.width(), 1));
}

Bits add(const Bits& a, const Bits& b) {
  CHECK(a.width() == b.width());
  Bits result(a.width());
  bool carry = false;
  for (size_t i = 0; i < a.word_count(); ++i) {
    uint64_t sum = 0;
    const bool first = __builtin_add_overflow(a.word(i), b.word(i), &sum);
    const bool second = __builtin_add_overflow(sum, uint64_t{carry}, &sum);
    carry = first || second;
    result.mutable_word(i) = sum;
  }
  return std::move(result).trimmed();
}

Bits subtract(const Bits& a, const Bits& b) {
  return add(a, negate(b));
}

Bits multiply(const Bits& a, const Bits& b) {
  CHECK(a.width() == b.width());
  Bits result(a.width());
  // Half words, so that a product and two carries fit into a word.
  const size_t halves = 2 * a.word_count();
  auto half = [](const Bits& v, size_t i) { return v.word(i / 2) >> (i % 2 * 32) & 0xffffffff; };
  for (size_t i = 0; i < halves; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; i + j < halves; ++j) {
      const size_t k = i + j;
      const uint64_t sum = half(a, i) * half(b, j) + half(result, k) + carry;
      const uint64_t others = uint64_t{0xffffffff} << ((k + 1) % 2 * 32);
      result.mutable_word(k / 2) = (result.word(k / 2) & others) | (sum & 0xffffffff)
                                                                       << (k % 2 * 32);
      carry = sum >> 32;
    }
  }
  return std::move(result).trimmed();
}

Bits unsigned_divide(const Bits& a, const Bits& b) {
  CHECK(a.width() == b.width());
  if (b.is_zero()) return Bits::all_ones(a.width());
  if (a.width() <= 64) return Bits(a.width(), a.low() / b.low());
  return divide_wide(a, b).first;
}

Bits unsigned_remainder(const Bits& a, const Bits& b) {
  CHECK(a.width() == b.width());
  if (b.is_zero()) return a;
  if (a.width() <= 64) return Bits(a.width(), a.low() % b.low());
  return divide_wide(a, b).second;
}

Bits signed_divide(const Bits& a, const Bits& b) {
  const Bits quotient = unsigned_divide(absolute(a), absolute(b));
  return a.sign() != b.sign() ? negate(quotient) : quotient;
}

Bits signed_remainder(const Bits& a, const Bits& b) {
  const Bits remainder = unsigned_remainder(absolute(a), absolute(b));
  return a.sign() ? negate(remainder) : remainder;
}

Bits bit_and(const Bits& a, const Bits& b) {
  return word_by_word(a, b, [](uint64_t x, uint64_t y) { return x & y; });
}

Bits bit_or(const Bits& a, const Bits& b) {
  return word_by_word(a, b, [](uint64_t x, uint64_t y) { return x | y; });
}

Bits bit_xor(const Bits& a, const Bits& b) {
  return word_by_word(a, b, [](uint64_t x, uint64_t y) { return x ^ y; });
}

Bits shift_left(const Bits& a, const Bits& by) {
  const uint64_t n = by.saturated();
  if (n >= a.width()) return Bits(a.width());
  if (n == 0) return a;
  const auto amount = static_cast<uint32_t>(n);
  return concat(extract(a, 0, a.width() - amount), Bits(amount));
}

Bits logical_shift_right(const Bits& a, const Bits& by) {
  const uint64_t n = by.saturated();
  if (n >= a.width()) return Bits(a.width());
  const auto amount = static_cast<uint32_t>(n);
  return zero_extend(extract(a, amount, a.width() - amount), a.width());
}

Bits arithmetic_shift_right(const Bits& a, const Bits& by) {
  const auto amount = static_cast<uint32_t>(std::min<uint64_t>(by.saturated(), a.width() - 1));
  return sign_extend(extract(a, amount, a.width() - amount), a.width());
}

Bits concat(const Bits& high, const Bits& low) {
  Bits result = zero_extend(low, high.width() + low.width());
  const size_t first = low.width() / 64;
  const uint32_t shift = low.width() % 64;
  for (size_t i = 0; i < high.word_count(); ++i) {
    result.mutable_word(first + i) |= high.word(i) << shift;
    if (shift != 0 && first + i + 1 < result.word_count()) {
      result.mutable_word(first + i + 1) |= high.word(i) >> (64 - shift);
    }
  }
  return result;
}

Bits extract(const Bits& a, uint32_t low, uint32_t width) {
  CHECK(width > 0 && low < a.width() && width <= a.width() - low);
  Bits result(width);
  const size_t first = low / 64;
  const uint32_t shift = low % 64;
  for (size_t i = 0; i < result.word_count(); ++i) {
    uint64_t word = a.word(first + i) >> shift;
    if (shift != 0 && first + i + 1 < a.word_count()) word |= a.word(first + i + 1) << (64 - shift);
    result.mutable_word(i) = word;
  }
  return std::move(result).trimmed();
}

Bits zero_extend(const Bits& a, uint32_t width) {
  CHECK(width >= a.width());
  Bits result(width);
  for (size_t i = 0; i < a.word_count(); ++i) result.mutable_word(i) = a.word(i);
  return result;
}

Bits sign_extend(const Bits& a, uint32_t width) {
  CHECK(width >= a.width());
  if (width == a.width() || !a.sign()) return zero_extend(a, width);
  return concat(Bits::all_ones(width - a.width()), a);
}

bool unsigned_less(const Bits& a, const Bits& b) {
  return a < b;
}

bool signed_less(const Bits& a, const Bits& b) {
  return a.sign() != b.sign() ? a.sign() : a < b;
}

std::string to_smtlib(const Bits& value) {
  std::string digits;
  const uint32_t step = value.width() % 4 == 0 ? 4 : 1;
  for (uint32_t low = 0; low < value.width(); low += step) {
    digits += fmt::format("{:x}", extract(value, low, step).low());
  }
  std::ranges::reverse(digits);
  return (step == 4 ? "#x" : "#b") + digits;
}

std::string to_text(const Bits& value) {
  return value.width() <= 64 ? fmt::format("{}", value.low()) : to_smtlib(value);
}

}  // namespace foretell::smt
