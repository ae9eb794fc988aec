// SPDX-License-Identifier: Apache-2.0

// PCG-XSH-RR 64/32 (O'Neill 2014): small, good, and the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace foretell::trace {

class Pcg {
 public:
  explicit constexpr Pcg(uint64_t seed) : state_(seed + kIncrement) { next(); }

  constexpr uint32_t next() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005u + kIncrement;
    const auto mixed = static_cast<uint32_t>(((old >> 18) ^ old) >> 27);
    return std::rotr(mixed, static_cast<int>(old >> 59));
  }
  // 0 .. bound - 1. The bias (below bound / 2^32) does not matter here; bound must not be 0.
  constexpr uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(uint64_t{next()} * bound >> 32);
  }
  constexpr bool percent(uint32_t p) { return below(100) < p; }

 private:
  static constexpr uint64_t kIncrement = 1442695040888963407u;
  uint64_t state_;
};

}  // namespace foretell::trace
