// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

Comparison negated(Comparison comparison) {
  switch (comparison) {
    case Comparison::eq:
      return Comparison::ne;
    case Comparison::ne:
      return Comparison::eq;
    case Comparison::slt:
      return Comparison::sge;
    case Comparison::sle:
      return Comparison::sgt;
    case Comparison::sgt:
      return Comparison::sle;
    case Comparison::sge:
      return Comparison::slt;
    case Comparison::ult:
      return Comparison::uge;
    case Comparison::ule:
      return Comparison::ugt;
    case Comparison::ugt:
      return Comparison::ule;
    case Comparison::uge:
      return Comparison::ult;
  }
  return comparison;
}

Comparison swapped(Comparison comparison) {
  switch (comparison) {
    case Comparison::eq:
    case Comparison::ne:
      return comparison;
    case Comparison::slt:
      return Comparison::sgt;
    case Comparison::sle:
      return Comparison::sge;
    case Comparison::sgt:
      return Comparison::slt;
    case Comparison::sge:
      return Comparison::sle;
    case Comparison::ult:
      return Comparison::ugt;
    case Comparison::ule:
      return Comparison::uge;
    case Comparison::ugt:
      return Comparison::ult;
    case Comparison::uge:
      return Comparison::ule;
  }
  return comparison;
}

int64_t smallest(unsigned bits) {
  return static_cast<int64_t>(~uint64_t{0} << (bits - 1));
}

int64_t largest(unsigned bits) {
  return ~smallest(bits);
}

uint64_t as_unsigned(unsigned bits, int64_t value) {
  return static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - bits));
}

int64_t wrapped(unsigned bits, __int128 value) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >>
         static_cast<int>(64 - bits);
}

std::optional<int64_t> evaluate(Operation operation, unsigned bits, int64_t a, int64_t b,
                                Overflow overflow) {
  const auto exact = [&](__int128 value) -> std::optional<int64_t> {
    const int64_t result = wrapped(bits, value);
    if (overflow == Overflow::excluded && result != value) return {};
    return result;
  };
  const uint64_t ua = as_unsigned(bits, a), ub = as_unsigned(bits, b);
  switch (operation) {
    case Operation::add:
      return exact(__int128{a} + b);
    case Operation::sub:
      return exact(__int128{a} - b);
    case Operation::mul:
      return exact(__int128{a} * b);
    case Operation::sdiv:
      if (b == 0 || (a == smallest(bits) && b == -1)) return {};
      return a / b;
    case Operation::udiv:
      if (b == 0) return {};
      return wrapped(bits, ua / ub);
    case Operation::srem:
      if (b == 0 || (a == smallest(bits) && b == -1)) return {};
      return a % b;
    case Operation::urem:
      if (b == 0) return {};
      return wrapped(bits, ua % ub);
    case Operation::bits_and:
      return a & b;
    case Operation::bits_or:
      return a | b;
    case Operation::bits_xor:
      return a ^ b;
    case Operation::shl:
      if (ub >= bits) return {};
      return exact(__int128{a} * (__int128{1} << ub));
    case Operation::lshr:
      if (ub >= bits) return {};
      return wrapped(bits, ua >> ub);
    case Operation::ashr:
      if (ub >= bits) return {};
      return a >> ub;
  }
  return {};
}

bool holds(Comparison comparison, unsigned bits, int64_t a, int64_t b) {
  const uint64_t ua = as_unsigned(bits, a), ub = as_unsigned(bits, b);
  switch (comparison) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a != b;
    case Comparison::slt:
      return a < b;
    case Comparison::sle:
      return a <= b;
    case Comparison::sgt:
      return a > b;
    case Comparison::sge:
      return a >= b;
    case Comparison::ult:
      return ua < ub;
    case Comparison::ule:
      return ua <= ub;
    case Comparison::ugt:
      return ua > ub;
    case Comparison::uge:
      return ua >= ub;
  }
  return false;
}

int64_t cast_value(Cast cast, unsigned from, unsigned to, int64_t value) {
  switch (cast) {
    case Cast::truncate:
      return wrapped(to, value);
    case Cast::sign_extend:
      return value;
    case Cast::zero_extend:
      return static_cast<int64_t>(as_unsigned(from, value));
  }
  return value;
}

}  // namespace foretell::static_analysis::domain
