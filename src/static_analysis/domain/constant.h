// SPDX-License-Identifier: Apache-2.0

// One value, or any: Kildall, 1973.
#pragma once

#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

class Constant {
 public:
  static constexpr const char* kName = "constant";
  static Constant bottom(unsigned bits) { return {bits, Kind::none, 0}; }
  static Constant top(unsigned bits) { return {bits, Kind::any, 0}; }
  static Constant of(unsigned bits, int64_t value) { return {bits, Kind::one, value}; }

  unsigned bits() const { return bits_; }
  bool is_bottom() const { return kind_ == Kind::none; }
  std::optional<int64_t> single() const {
    return kind_ == Kind::one ? std::optional(value_) : std::nullopt;
  }
  bool contains(int64_t value) const {
    return kind_ == Kind::any || (kind_ == Kind::one && value_ == value);
  }
  bool is_below(const Constant& other) const {
    return kind_ == Kind::none || other.kind_ == Kind::any || *this == other;
  }
  bool operator==(const Constant&) const = default;

  Constant join(const Constant& other) const {
    if (is_below(other)) return other;
    return other.is_below(*this) ? *this : top(bits_);
  }
  Constant meet(const Constant& other) const {
    if (is_below(other)) return *this;
    return other.is_below(*this) ? other : bottom(bits_);
  }
  Constant widen(const Constant& next, std::span<const int64_t>) const { return join(next); }

  static Constant apply(Operation operation, const Constant& a, const Constant& b,
                        Overflow overflow);
  Constant cast(Cast cast, unsigned bits) const;
  Constant assume(Comparison comparison, const Constant& other) const;
  std::string text() const;

 private:
  enum class Kind : uint8_t { none, one, any };
  Constant(unsigned bits, Kind kind, int64_t value) : bits_(bits), kind_(kind), value_(value) {}

  unsigned bits_;
  Kind kind_;
  int64_t value_;
};

}  // namespace foretell::static_analysis::domain
