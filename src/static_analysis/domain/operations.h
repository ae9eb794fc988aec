// SPDX-License-Identifier: Apache-2.0

// What machine integers do: the operations that abstract values follow, and their meaning.
//
// A number of n bits is held as the signed number of 64 bits that it extends to. The meaning here is
// what every domain is tested against.
#pragma once

#include <cstdint>
#include <optional>

namespace foretell::static_analysis::domain {

enum class Operation : uint8_t {
  add,
  sub,
  mul,
  sdiv,
  udiv,
  srem,
  urem,
  bits_and,
  bits_or,
  bits_xor,
  shl,
  lshr,
  ashr,
};
inline constexpr int kOperations = 13;

enum class Comparison : uint8_t { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };
inline constexpr int kComparisons = 10;
Comparison negated(Comparison comparison);
// `b negated-sides a` says what `a comparison b` does.
Comparison swapped(Comparison comparison);

enum class Cast : uint8_t { truncate, sign_extend, zero_extend };

// Signed overflow of the three first operations and of shl either wraps around or does not happen.
enum class Overflow : uint8_t { wraps, excluded };

int64_t smallest(unsigned bits);
int64_t largest(unsigned bits);
int64_t wrapped(unsigned bits, __int128 value);
uint64_t as_unsigned(unsigned bits, int64_t value);

// Nothing if the execution has no meaning: a division by zero, a shift too far, excluded overflow.
std::optional<int64_t> evaluate(Operation operation, unsigned bits, int64_t a, int64_t b,
                                Overflow overflow);
bool holds(Comparison comparison, unsigned bits, int64_t a, int64_t b);
int64_t cast_value(Cast cast, unsigned from, unsigned to, int64_t value);

}  // namespace foretell::static_analysis::domain
