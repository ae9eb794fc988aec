// SPDX-License-Identifier: Apache-2.0

// Numbers with one remainder: Granger, 1989. A modulus of 0 is one number, of 1 any.
//
// An operation that may wrap around keeps the part of the modulus that divides 2^bits.
#pragma once

#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

class Congruence {
 public:
  static constexpr const char* kName = "congruence";
  static Congruence bottom(unsigned bits) { return {bits, true, 0, 0}; }
  static Congruence top(unsigned bits) { return {bits, false, 1, 0}; }
  static Congruence of(unsigned bits, int64_t value) { return {bits, false, 0, value}; }
  // All numbers of the width that are `remainder` modulo `modulus`.
  static Congruence modulo(unsigned bits, uint64_t modulus, int64_t remainder);

  unsigned bits() const { return bits_; }
  uint64_t modulus() const { return modulus_; }
  int64_t remainder() const { return remainder_; }
  bool is_bottom() const { return is_bottom_; }
  std::optional<int64_t> single() const {
    return !is_bottom_ && modulus_ == 0 ? std::optional(remainder_) : std::nullopt;
  }
  bool contains(int64_t value) const;
  bool is_below(const Congruence& other) const;
  bool operator==(const Congruence&) const = default;

  Congruence join(const Congruence& other) const;
  Congruence meet(const Congruence& other) const;
  Congruence widen(const Congruence& next, std::span<const int64_t>) const { return join(next); }

  static Congruence apply(Operation operation, const Congruence& a, const Congruence& b,
                          Overflow overflow);
  Congruence cast(Cast cast, unsigned bits) const;
  Congruence assume(Comparison comparison, const Congruence& other) const;
  std::string text() const;

 private:
  Congruence(unsigned bits, bool is_bottom, uint64_t modulus, int64_t remainder)
      : bits_(bits), is_bottom_(is_bottom), modulus_(modulus), remainder_(remainder) {}

  unsigned bits_;
  bool is_bottom_;
  uint64_t modulus_;   // below 2^62
  int64_t remainder_;  // from 0 to below the modulus, if there is one
};

}  // namespace foretell::static_analysis::domain
