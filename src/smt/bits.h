// SPDX-License-Identifier: Apache-2.0

// Bits: the value of a bit-vector of any width, and the operators of SMT-LIB's FixedSizeBitVectors
// on such values.
//
// This is the one concrete semantics of the room: constants are folded with it and models are
// evaluated with it. What C leaves undefined is defined here as SMT-LIB defines it: x / 0 is all
// ones (unsigned) or 1 or -1 (signed), x % 0 is x, and a shift by the width or more shifts
// everything out. tests/unit/smt/bits_test.cc compares every operator with Z3.
#pragma once

#include <absl/container/inlined_vector.h>

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace foretell::smt {

class Bits {
 public:
  // `value` is cut to the width, or extended with zeros. A width is at least 1.
  explicit Bits(uint32_t width, uint64_t value = 0);
  static Bits all_ones(uint32_t width);
  static Bits of(bool value) { return Bits(1, value ? 1 : 0); }

  uint32_t width() const { return width_; }
  bool bit(uint32_t position) const { return (words_[position / 64] >> (position % 64) & 1) != 0; }
  void set_bit(uint32_t position, bool value);
  bool sign() const { return bit(width_ - 1); }
  bool is_zero() const;
  bool is_all_ones() const;
  bool is_true() const { return !is_zero(); }
  // The position of the only bit that is set, or the width if there is not exactly one.
  uint32_t only_bit() const;
  // The lowest 64 bits.
  uint64_t low() const { return words_[0]; }
  // The unsigned value, or the largest uint64_t if it is larger.
  uint64_t saturated() const;
  size_t word_count() const { return words_.size(); }
  uint64_t word(size_t i) const { return words_[i]; }
  uint64_t& mutable_word(size_t i) { return words_[i]; }
  // Clears what lies above the width. Every operator that writes words ends with this.
  Bits&& trimmed() &&;

  bool operator==(const Bits&) const = default;
  // Unsigned, of equal widths.
  std::strong_ordering operator<=>(const Bits& other) const;
  template <class H>
  friend H AbslHashValue(H h, const Bits& b) {
    return H::combine(std::move(h), b.width_, b.words_);
  }

 private:
  uint32_t width_;
  absl::InlinedVector<uint64_t, 1> words_;  // least significant first; zero above the width
};

Bits complement(const Bits& a);
Bits negate(const Bits& a);
Bits add(const Bits& a, const Bits& b);
Bits subtract(const Bits& a, const Bits& b);
Bits multiply(const Bits& a, const Bits& b);
Bits unsigned_divide(const Bits& a, const Bits& b);
Bits unsigned_remainder(const Bits& a, const Bits& b);
Bits signed_divide(const Bits& a, const Bits& b);
// Has the sign of the dividend, as in C.
Bits signed_remainder(const Bits& a, const Bits& b);
Bits bit_and(const Bits& a, const Bits& b);
Bits bit_or(const Bits& a, const Bits& b);
Bits bit_xor(const Bits& a, const Bits& b);
Bits shift_left(const Bits& a, const Bits& by);
Bits logical_shift_right(const Bits& a, const Bits& by);
Bits arithmetic_shift_right(const Bits& a, const Bits& by);
Bits concat(const Bits& high, const Bits& low);
// `width` bits from position `low` on.
Bits extract(const Bits& a, uint32_t low, uint32_t width);
Bits zero_extend(const Bits& a, uint32_t width);
Bits sign_extend(const Bits& a, uint32_t width);
bool unsigned_less(const Bits& a, const Bits& b);
bool signed_less(const Bits& a, const Bits& b);

// "#x0f", or "#b101" if the width is not a multiple of 4: SMT-LIB's literals.
std::string to_smtlib(const Bits& value);
// Decimal up to 64 bits, otherwise as above.
std::string to_text(const Bits& value);

}  // namespace foretell::smt
