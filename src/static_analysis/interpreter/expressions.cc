// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/interpreter/expressions.h"

#include <cmath>

namespace foretell::static_analysis::interpreter {

using domain::Comparison;
using domain::Floating;
using domain::Number;
using domain::Operation;
using domain::Overflow;
using llvm::dyn_cast;

namespace {

std::optional<Operation> operation_of(llvm::Instruction::BinaryOps code) {
  switch (code) {
    case llvm::Instruction::Add:
      return Operation::add;
    case llvm::Instruction::Sub:
      return Operation::sub;
    case llvm::Instruction::Mul:
      return Operation::mul;
    case llvm::Instruction::SDiv:
      return Operation::sdiv;
    case llvm::Instruction::UDiv:
      return Operation::udiv;
    case llvm::Instruction::SRem:
      return Operation::srem;
    case llvm::Instruction::URem:
      return Operation::urem;
    case llvm::Instruction::And:
      return Operation::bits_and;
    case llvm::Instruction::Or:
      return Operation::bits_or;
    case llvm::Instruction::Xor:
      return Operation::bits_xor;
    case llvm::Instruction::Shl:
      return Operation::shl;
    case llvm::Instruction::LShr:
      return Operation::lshr;
    case llvm::Instruction::AShr:
      return Operation::ashr;
    default:
      return {};
  }
}

std::optional<domain::FloatOperation> float_operation_of(llvm::Instruction::BinaryOps code) {
  switch (code) {
    case llvm::Instruction::FAdd:
      return domain::FloatOperation::add;
    case llvm::Instruction::FSub:
      return domain::FloatOperation::sub;
    case llvm::Instruction::FMul:
      return domain::FloatOperation::mul;
    case llvm::Instruction::FDiv:
      return domain::FloatOperation::div;
    default:
      return {};
  }
}

std::optional<Comparison> comparison_of(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
    case llvm::CmpInst::FCMP_OEQ:
      return Comparison::eq;
    case llvm::CmpInst::ICMP_NE:
      return Comparison::ne;
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::FCMP_OLT:
      return Comparison::slt;
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::FCMP_OLE:
      return Comparison::sle;
    case llvm::CmpInst::ICMP_SGT:
    case llvm::CmpInst::FCMP_OGT:
      return Comparison::sgt;
    case llvm::CmpInst::ICMP_SGE:
    case llvm::CmpInst::FCMP_OGE:
      return Comparison::sge;
    case llvm::CmpInst::ICMP_ULT:
      return Comparison::ult;
    case llvm::CmpInst::ICMP_ULE:
      return Comparison::ule;
    case llvm::CmpInst::ICMP_UGT:
      return Comparison::ugt;
    case llvm::CmpInst::ICMP_UGE:
      return Comparison::uge;
    default:
      return {};
  }
}

unsigned float_bits(const llvm::Type& type) {
  return type.isFloatTy() ? 32 : 64;
}

Value binary(const llvm::BinaryOperator& operation, const Value& a, const Value& b) {
  if (a.number() && b.number()) {
    const auto code = operation_of(operation.getOpcode());
    if (!code) return Value::top_of(*operation.getType());
    const auto* overflowing = dyn_cast<llvm::OverflowingBinaryOperator>(&operation);
    const bool excluded = overflowing && overflowing->hasNoSignedWrap();
    return Number::apply(*code, *a.number(), *b.number(),
                         excluded ? Overflow::excluded : Overflow::wraps);
  }
  const auto code = float_operation_of(operation.getOpcode());
  if (!code || !a.floating() || !b.floating()) return Value::top_of(*operation.getType());
  return Floating::apply(*code, *a.floating(), *b.floating(), float_bits(*operation.getType()));
}

Value compared(const llvm::ICmpInst& comparison, const Value& a, const Value& b) {
  const auto code = comparison_of(comparison.getPredicate());
  if (!code || !a.number() || !b.number()) return Value::top_of(*comparison.getType());
  Number result = Number::bottom(1);
  if (!a.number()->assume(*code, *b.number()).is_bottom() &&
      !b.number()->assume(domain::swapped(*code), *a.number()).is_bottom())
    result = result.join(Number::of(1, -1));
  const Comparison other = domain::negated(*code);
  if (!a.number()->assume(other, *b.number()).is_bottom() &&
      !b.number()->assume(domain::swapped(other), *a.number()).is_bottom())
    result = result.join(Number::of(1, 0));
  return result;
}

// An integer as a floating point number, rounded either way.
Value floating_of(const Number& number, const llvm::Type& type) {
  if (number.is_bottom()) return Floating::bottom();
  const auto& range = number.part<domain::Interval>();
  const auto low = static_cast<double>(range.low()), high = static_cast<double>(range.high());
  constexpr double kExact = 4503599627370496;  // 2^52
  const bool is_exact = low > -kExact && high < kExact;
  const Floating made = is_exact ? Floating::between(low, high, false)
                                 : Floating::between(std::nextafter(low, -HUGE_VAL),
                                                     std::nextafter(high, HUGE_VAL), false);
  return type.isFloatTy() ? made.rounded_to_float() : made;
}

Value integer_of(const Floating& number, unsigned bits) {
  // Out of range has no meaning.
  if (!number.has_numbers()) return Number::bottom(bits);
  const auto least = static_cast<double>(domain::smallest(bits));
  const auto most = static_cast<double>(domain::largest(bits));
  const double low = std::trunc(number.low()), high = std::trunc(number.high());
  return Number::between(bits, low <= least ? domain::smallest(bits) : static_cast<int64_t>(low),
                         high >= most ? domain::largest(bits) : static_cast<int64_t>(high));
}

Value casted(const llvm::CastInst& cast, const Value& value) {
  const llvm::Type& type = *cast.getType();
  const Value anything = Value::top_of(type);
  const bool to_number = anything.number() != nullptr;
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc:
      if (!value.number() || !to_number) return anything;
      return value.number()->cast(domain::Cast::truncate, type.getIntegerBitWidth());
    case llvm::Instruction::SExt:
      if (!value.number() || !to_number) return anything;
      return value.number()->cast(domain::Cast::sign_extend, type.getIntegerBitWidth());
    case llvm::Instruction::ZExt:
      if (!value.number() || !to_number) return anything;
      return value.number()->cast(domain::Cast::zero_extend, type.getIntegerBitWidth());
    case llvm::Instruction::SIToFP:
      if (!value.number() || !anything.floating()) return anything;
      return floating_of(*value.number(), type);
    case llvm::Instruction::UIToFP:
      if (!value.number() || !anything.floating() || value.number()->is_bottom() ||
          value.number()->part<domain::Interval>().low() < 0)
        return anything;
      return floating_of(*value.number(), type);
    case llvm::Instruction::FPToSI:
      if (!value.floating() || !to_number) return anything;
      return integer_of(*value.floating(), type.getIntegerBitWidth());
    case llvm::Instruction::FPExt:
      return value.floating() && anything.floating() ? value : anything;
    case llvm::Instruction::FPTrunc:
      if (!value.floating() || !anything.floating()) return anything;
      return value.floating()->rounded_to_float();
    default:
      return anything;
  }
}

// The condition is true, or false.
bool assume_condition(const llvm::Value& condition, bool truth, const Lookup& value_of,
                      std::map<const llvm::Value*, Value>& refined) {
  const Value known = value_of(condition);
  if (const Number* number = known.number(); number && !number->contains(truth ? -1 : 0))
    return false;
  if (const auto* operation = dyn_cast<llvm::BinaryOperator>(&condition)) {
    const bool both = truth ? operation->getOpcode() == llvm::Instruction::And
                            : operation->getOpcode() == llvm::Instruction::Or;
    if (both)
      return assume_condition(*operation->getOperand(0), truth, value_of, refined) &&
             assume_condition(*operation->getOperand(1), truth, value_of, refined);
    const auto* ones = dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    if (operation->getOpcode() == llvm::Instruction::Xor && ones && ones->isMinusOne())
      return assume_condition(*operation->getOperand(0), !truth, value_of, refined);
    return true;
  }
  const auto* comparison = dyn_cast<llvm::CmpInst>(&condition);
  auto code = comparison ? comparison_of(comparison->getPredicate()) : std::nullopt;
  if (!code) return true;
  const llvm::Value &left = *comparison->getOperand(0), &right = *comparison->getOperand(1);
  // (int)(a < b) != 0.
  if (const auto* wide = dyn_cast<llvm::ZExtInst>(&left); wide && wide->getSrcTy()->isIntegerTy(1))
    if (const auto* zero = dyn_cast<llvm::ConstantInt>(&right); zero && zero->isZero()) {
      if (*code == Comparison::ne)
        return assume_condition(*wide->getOperand(0), truth, value_of, refined);
      if (*code == Comparison::eq)
        return assume_condition(*wide->getOperand(0), !truth, value_of, refined);
    }
  const Value a = value_of(left), b = value_of(right);
  if (a.floating() && b.floating()) {
    // A comparison with "not a number" is false, too.
    if (!truth && (a.floating()->may_be_nan() || b.floating()->may_be_nan())) return true;
    if (!truth) code = domain::negated(*code);
    const Floating first = a.floating()->assume(*code, *b.floating());
    const Floating second = b.floating()->assume(domain::swapped(*code), *a.floating());
    if (first.is_bottom() || second.is_bottom()) return false;
    if (llvm::isa<llvm::Instruction>(left)) refined[&left] = first;
    if (llvm::isa<llvm::Instruction>(right)) refined[&right] = second;
    return true;
  }
  if (!a.number() || !b.number()) return true;
  if (!truth) code = domain::negated(*code);
  const Number first = a.number()->assume(*code, *b.number());
  const Number second = b.number()->assume(domain::swapped(*code), *a.number());
  if (first.is_bottom() || second.is_bottom()) return false;
  if (llvm::isa<llvm::Instruction>(left)) refined[&left] = first;
  if (llvm::isa<llvm::Instruction>(right)) refined[&right] = second;
  return true;
}

}  // namespace

std::optional<Operation> operation_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Add:
      return Operation::add;
    case llvm::AtomicRMWInst::Sub:
      return Operation::sub;
    case llvm::AtomicRMWInst::And:
      return Operation::bits_and;
    case llvm::AtomicRMWInst::Or:
      return Operation::bits_or;
    case llvm::AtomicRMWInst::Xor:
      return Operation::bits_xor;
    default:
      return {};
  }
}

Value computed(const llvm::Instruction& instruction, const Lookup& value_of) {
  const Value anything = Value::top_of(*instruction.getType());
  if (const auto* operation = dyn_cast<llvm::BinaryOperator>(&instruction))
    return binary(*operation, value_of(*operation->getOperand(0)),
                  value_of(*operation->getOperand(1)));
  if (const auto* comparison = dyn_cast<llvm::ICmpInst>(&instruction))
    return compared(*comparison, value_of(*comparison->getOperand(0)),
                    value_of(*comparison->getOperand(1)));
  if (const auto* cast = dyn_cast<llvm::CastInst>(&instruction))
    return casted(*cast, value_of(*cast->getOperand(0)));
  if (const auto* choice = dyn_cast<llvm::SelectInst>(&instruction)) {
    if (!choice->getCondition()->getType()->isIntegerTy()) return anything;
    const Value condition = value_of(*choice->getCondition());
    const auto known = condition.number() ? condition.number()->single() : std::nullopt;
    if (known) return value_of(*(*known ? choice->getTrueValue() : choice->getFalseValue()));
    return value_of(*choice->getTrueValue()).join(value_of(*choice->getFalseValue()));
  }
  if (instruction.getOpcode() == llvm::Instruction::FNeg) {
    const Value value = value_of(*instruction.getOperand(0));
    return value.floating() ? Value(value.floating()->negated()) : anything;
  }
  return anything;
}

bool refine_along(const llvm::BasicBlock& from, const llvm::BasicBlock& to, const Lookup& value_of,
                  std::map<const llvm::Value*, Value>& refined) {
  const llvm::Instruction* end = from.getTerminator();
  if (const auto* branch = dyn_cast<llvm::BranchInst>(end)) {
    if (!branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return true;
    return assume_condition(*branch->getCondition(), branch->getSuccessor(0) == &to, value_of,
                            refined);
  }
  const auto* choice = dyn_cast<llvm::SwitchInst>(end);
  if (!choice || choice->getDefaultDest() == &to) return true;
  const Value value = value_of(*choice->getCondition());
  if (!value.number()) return true;
  Number all = Number::bottom(value.number()->bits());
  for (const auto& one : choice->cases())
    if (one.getCaseSuccessor() == &to)
      all = all.join(Number::of(all.bits(), one.getCaseValue()->getSExtValue()));
  all = all.meet(*value.number());
  if (all.is_bottom()) return false;
  if (llvm::isa<llvm::Instruction>(choice->getCondition())) refined[choice->getCondition()] = all;
  return true;
}

}  // namespace foretell::static_analysis::interpreter
