// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/arithmetic.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace foretell::symbolic {

using program::Operation;

namespace {

uint64_t divide(Operation operation, uint64_t a, uint64_t b, uint32_t width) {
  const int64_t x = signed_of(a, width), y = signed_of(b, width);
  switch (operation) {
    case Operation::udiv:
      return b == 0 ? mask_of(width) : a / b;
    case Operation::urem:
      return b == 0 ? a : a % b;
    case Operation::sdiv:
      if (y == 0) return x < 0 ? 1 : mask_of(width);
      return y == -1 ? 0 - a : static_cast<uint64_t>(x / y);
    default:
      return y == 0 ? a : y == -1 ? 0 : static_cast<uint64_t>(x % y);
  }
}

uint64_t compute(Operation operation, uint64_t a, uint64_t b, uint32_t width) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::bit_and:
      return a & b;
    case Operation::bit_or:
      return a | b;
    case Operation::bit_xor:
      return a ^ b;
    case Operation::shl:
      return b >= width ? 0 : a << b;
    case Operation::lshr:
      return b >= width ? 0 : a >> b;
    case Operation::ashr:
      return static_cast<uint64_t>(signed_of(a, width) >> (b >= width ? width - 1 : b));
    default:
      return divide(operation, a, b, width);
  }
}

smt::Expr compute(smt::ExprContext& c, Operation operation, smt::Expr a, smt::Expr b) {
  switch (operation) {
    case Operation::add:
      return c.add(a, b);
    case Operation::subtract:
      return c.subtract(a, b);
    case Operation::multiply:
      return c.multiply(a, b);
    case Operation::udiv:
      return c.udiv(a, b);
    case Operation::urem:
      return c.urem(a, b);
    case Operation::sdiv:
      return c.sdiv(a, b);
    case Operation::srem:
      return c.srem(a, b);
    case Operation::bit_and:
      return c.bit_and(a, b);
    case Operation::bit_or:
      return c.bit_or(a, b);
    case Operation::bit_xor:
      return c.bit_xor(a, b);
    case Operation::shl:
      return c.shl(a, b);
    case Operation::lshr:
      return c.lshr(a, b);
    default:
      return c.ashr(a, b);
  }
}

double real_of(const Value& value) {
  return value.width == 32
             ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value.bits)))
             : std::bit_cast<double>(value.bits);
}

uint64_t bits_of(double real, uint8_t width) {
  return width == 32 ? std::bit_cast<uint32_t>(static_cast<float>(real))
                     : std::bit_cast<uint64_t>(real);
}

bool compare_reals(const std::string& predicate, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (predicate == "true" || predicate == "false") return predicate == "true";
  if (predicate == "ord" || predicate == "uno") return unordered == (predicate == "uno");
  if (unordered) return predicate[0] == 'u';
  const std::string kind = predicate.substr(1);
  if (kind == "eq") return a == b;
  if (kind == "ne") return a != b;
  if (kind == "lt") return a < b;
  if (kind == "le") return a <= b;
  return kind == "gt" ? a > b : a >= b;
}

// Where addresses of different objects must be ordered: any fixed order would do.
uint64_t stand_in(const Value& value) {
  if (value.kind == Value::Kind::integer) return value.bits;
  if (value.kind == Value::Kind::function) return 0x100000000 + 16 * uint64_t{number(value.object)};
  return value.object == kNullObject ? value.bits
                                     : (uint64_t{number(value.object)} << 36) + value.bits;
}

// A pointer to no object is the number that it was made from.
Value as_number(Value value) {
  if (value.kind == Value::Kind::pointer && value.object == kNullObject)
    value.kind = Value::Kind::integer;
  return value;
}

}  // namespace

Value Arithmetic::with_term(Value value, smt::Expr term) const {
  if (term.is_constant())
    value.term.reset();
  else
    value.term = term;
  return value;
}

smt::Expr Arithmetic::condition_of(const Value& value) const {
  return context_.not_equal(term_of(value), context_.constant(value.width, 0));
}

Value Arithmetic::binary(Operation operation, const Value& left, const Value& right) const {
  const Value a = as_number(left), b = as_number(right);
  if (a.is_address() != b.is_address()) {
    if (operation == Operation::add) return a.is_address() ? shifted(a, b) : shifted(b, a);
    if (operation == Operation::subtract && a.is_address())
      return shifted(a, binary(Operation::subtract, Value::integer(64, 0), b));
  }
  if (a.is_address() && b.is_address() && a.object == b.object && a.kind == b.kind &&
      operation == Operation::subtract) {
    Value x = a, y = b;
    x.kind = y.kind = Value::Kind::integer;
    return binary(operation, x, y);
  }
  Value result = Value::integer(a.width, 0);
  result.bits = compute(operation, stand_in(a), stand_in(b), a.width) & mask_of(a.width);
  // Other arithmetic on addresses depends on where objects lie, which nobody knows.
  result.opaque =
      a.opaque || b.opaque || (a.is_address() && !a.is_null()) || (b.is_address() && !b.is_null());
  if ((!a.term && !b.term) || result.opaque) return result;
  return with_term(result, symbolic::compute(context_, operation, term_of(a), term_of(b)));
}

Value Arithmetic::compare(Operation operation, const Value& left, const Value& right) const {
  const Value a = as_number(left), b = as_number(right);
  Value result = Value::integer(1, 0);
  result.opaque = a.opaque || b.opaque;
  // A number that depends on inputs may be any address.
  if (a.is_address() != b.is_address()) result.opaque |= (a.is_address() ? b : a).term.has_value();
  const bool same_object = a.kind == b.kind && a.object == b.object;
  const bool addresses = (a.is_address() || b.is_address()) && !same_object;
  const uint64_t x = addresses ? stand_in(a) : a.bits, y = addresses ? stand_in(b) : b.bits;
  const int64_t sx = signed_of(x, a.width), sy = signed_of(y, a.width);
  switch (operation) {
    case Operation::equal:
      result.bits = x == y;
      break;
    case Operation::not_equal:
      result.bits = x != y;
      break;
    case Operation::ult:
      result.bits = x < y;
      break;
    case Operation::ule:
      result.bits = x <= y;
      break;
    case Operation::slt:
      result.bits = sx < sy;
      break;
    default:
      result.bits = sx <= sy;
      break;
  }
  // Addresses of different objects are different whatever their offsets are.
  if ((!a.term && !b.term) || result.opaque || addresses) return result;
  const smt::Expr p = term_of(a), q = term_of(b);
  smt::Expr holds = context_.boolean(true);
  switch (operation) {
    case Operation::equal:
      holds = context_.equal(p, q);
      break;
    case Operation::not_equal:
      holds = context_.not_equal(p, q);
      break;
    case Operation::ult:
      holds = context_.ult(p, q);
      break;
    case Operation::ule:
      holds = context_.ule(p, q);
      break;
    case Operation::slt:
      holds = context_.slt(p, q);
      break;
    default:
      holds = context_.sle(p, q);
      break;
  }
  return with_term(result, context_.ite(holds, context_.constant(1, 1), context_.constant(1, 0)));
}

Value Arithmetic::resize(Operation operation, const Value& from, uint8_t width) const {
  const Value a = as_number(from);
  Value result = Value::integer(width, 0);
  result.opaque = a.opaque || (a.is_address() && !a.is_null());
  const uint64_t bits = stand_in(a);
  result.bits =
      (operation == Operation::sign_extend ? static_cast<uint64_t>(signed_of(bits, a.width))
                                           : bits) &
      mask_of(width);
  if (!a.term || result.opaque) return result;
  if (operation == Operation::truncate)
    return with_term(result, context_.extract(*a.term, 0, width));
  if (operation == Operation::sign_extend)
    return with_term(result, context_.sign_extend(*a.term, width));
  return with_term(result, context_.zero_extend(*a.term, width));
}

Value Arithmetic::choose(const Value& condition, const Value& then, const Value& otherwise) const {
  Value result = condition.bits != 0 ? then : otherwise;
  result.opaque |= condition.opaque;
  if (!condition.term || result.opaque) return result;
  // Of addresses of different objects no term chooses one: the caller keeps the condition.
  if (then.kind != otherwise.kind || then.object != otherwise.object) {
    result.opaque = !result.is_address() || !(condition.bits != 0 ? otherwise : then).is_address();
    return result;
  }
  if (then.kind == Value::Kind::real || then.opaque || otherwise.opaque) {
    result.opaque = true;
    return result;
  }
  return with_term(result,
                   context_.ite(condition_of(condition), term_of(then), term_of(otherwise)));
}

Value Arithmetic::shifted(const Value& base, const Value& by) const {
  Value result = base;
  if (by.is_address()) {
    result.opaque = true;
    return result;
  }
  result.bits = base.bits + static_cast<uint64_t>(signed_of(by.bits, by.width));
  result.opaque = base.opaque || by.opaque;
  if ((!base.term && !by.term) || result.opaque) return result;
  return with_term(result, context_.add(term_of(base), context_.sign_extend(term_of(by), 64)));
}

Value Arithmetic::real(const program::CodeInstruction& instruction, const Value& a,
                       const Value& b) const {
  const std::string& text = instruction.text;
  Value result{.kind = instruction.makes_real ? Value::Kind::real : Value::Kind::integer,
               .width = instruction.width};
  result.opaque = a.opaque || b.opaque || a.term || b.term;
  if (text == "fadd")
    result.bits = bits_of(real_of(a) + real_of(b), result.width);
  else if (text == "fsub")
    result.bits = bits_of(real_of(a) - real_of(b), result.width);
  else if (text == "fmul")
    result.bits = bits_of(real_of(a) * real_of(b), result.width);
  else if (text == "fdiv")
    result.bits = bits_of(real_of(a) / real_of(b), result.width);
  else if (text == "frem")
    result.bits = bits_of(std::fmod(real_of(a), real_of(b)), result.width);
  else if (text == "fneg")
    result.bits = bits_of(-real_of(a), result.width);
  else if (text == "fpext" || text == "fptrunc")
    result.bits = bits_of(real_of(a), result.width);
  else if (text == "sitofp")
    result.bits = bits_of(static_cast<double>(signed_of(a.bits, a.width)), result.width);
  else if (text == "uitofp")
    result.bits = bits_of(static_cast<double>(a.bits), result.width);
  else if (text == "fptosi")
    result.bits = static_cast<uint64_t>(static_cast<int64_t>(real_of(a))) & mask_of(result.width);
  else if (text == "fptoui")
    result.bits = static_cast<uint64_t>(real_of(a)) & mask_of(result.width);
  else if (text == "bitcast")
    result.bits = a.bits;
  else
    result.bits = compare_reals(text, real_of(a), real_of(b)) ? 1 : 0;
  return result;
}

}  // namespace foretell::symbolic
