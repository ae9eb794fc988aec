// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/parity.h"

namespace foretell::static_analysis::domain {
namespace {

uint8_t parity_of(Operation operation, bool a, bool b) {
  const auto one = [](bool odd) { return odd ? Parity::kOdd : Parity::kEven; };
  switch (operation) {
    case Operation::add:
    case Operation::sub:
    case Operation::bits_xor:
      return one(a != b);
    case Operation::mul:
    case Operation::bits_and:
      return one(a && b);
    case Operation::bits_or:
      return one(a || b);
    case Operation::shl:
      return a ? Parity::kAny : Parity::kEven;
    case Operation::sdiv:
    case Operation::udiv:
    case Operation::srem:
    case Operation::urem:
    case Operation::lshr:
    case Operation::ashr:
      return Parity::kAny;
  }
  return Parity::kAny;
}

}  // namespace

Parity Parity::apply(Operation operation, const Parity& a, const Parity& b, Overflow) {
  uint8_t mask = 0;
  for (const uint8_t one : {kEven, kOdd})
    for (const uint8_t other : {kEven, kOdd})
      if ((a.mask_ & one) && (b.mask_ & other))
        mask |= parity_of(operation, one == kOdd, other == kOdd);
  return {a.bits_, mask};
}

std::string Parity::text() const {
  return mask_ == 0 ? "none" : mask_ == kEven ? "even" : mask_ == kOdd ? "odd" : "any";
}

}  // namespace foretell::static_analysis::domain
