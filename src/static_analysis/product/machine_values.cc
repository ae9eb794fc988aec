// SPDX-License-Identifier: Apache-2.0

// What registers hold.

#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include "static_analysis/product/machine.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

using Kind = Value::Kind;

Value number_value(const llvm::APInt& bits) {
  return {.kind = Kind::number, .bits = bits.getZExtValue()};
}

std::optional<llvm::APInt> calculate(unsigned opcode, const llvm::APInt& a, const llvm::APInt& b) {
  const unsigned width = a.getBitWidth();
  switch (opcode) {
    case llvm::Instruction::Add:
      return a + b;
    case llvm::Instruction::Sub:
      return a - b;
    case llvm::Instruction::Mul:
      return a * b;
    case llvm::Instruction::And:
      return a & b;
    case llvm::Instruction::Or:
      return a | b;
    case llvm::Instruction::Xor:
      return a ^ b;
    case llvm::Instruction::Shl:
      if (b.ult(width)) return a.shl(b);
      return {};
    case llvm::Instruction::LShr:
      if (b.ult(width)) return a.lshr(b);
      return {};
    case llvm::Instruction::AShr:
      if (b.ult(width)) return a.ashr(b);
      return {};
    default:
      break;
  }
  if (b.isZero() || (a.isMinSignedValue() && b.isAllOnes())) return {};
  switch (opcode) {
    case llvm::Instruction::UDiv:
      return a.udiv(b);
    case llvm::Instruction::SDiv:
      return a.sdiv(b);
    case llvm::Instruction::URem:
      return a.urem(b);
    case llvm::Instruction::SRem:
      return a.srem(b);
    default:
      return {};
  }
}

bool is_zero(const Value& value) {
  return value.kind == Kind::number && value.bits == 0;
}

}  // namespace

void Machine::set(ThreadState& thread, const llvm::Instruction& result, const Value& value,
                  uint32_t part) const {
  if (!relevance_.is_relevant(result)) return;
  Frame& frame = thread.frames.back();
  frame.write(frame.code->slot_of(result) + part, value);
}

Value Machine::value_of(const llvm::Value& value, const ThreadState& thread) {
  if (const auto* constant = dyn_cast<llvm::Constant>(&value))
    return of_constant(*constant, thread);
  if (!llvm::isa<llvm::Instruction, llvm::Argument>(value)) return {};
  const Frame& frame = thread.frames.back();
  return frame.read(frame.code->slot_of(value));
}

Value Machine::of_constant(const llvm::Constant& constant, const ThreadState& thread) {
  if (const auto* global = dyn_cast<llvm::GlobalVariable>(&constant))
    return {.kind = Kind::pointer, .id = places_.global(*global, thread)};
  if (const auto* function = dyn_cast<llvm::Function>(&constant))
    return {.kind = Kind::function, .bits = reinterpret_cast<uintptr_t>(function)};
  if (const auto* place = dyn_cast<llvm::GEPOperator>(&constant)) return address(*place, thread);
  if (const auto* expression = dyn_cast<llvm::ConstantExpr>(&constant);
      expression && expression->getOpcode() != llvm::Instruction::Trunc && expression->isCast())
    return of_constant(*expression->getOperand(0), thread);
  return constant_value(constant);
}

Value Machine::address(const llvm::GEPOperator& place, const ThreadState& thread) {
  const Value base = value_of(*place.getPointerOperand(), thread);
  if (base.kind == Kind::somewhere) return base;
  if (base.kind != Kind::pointer && base.kind != Kind::number) return {};
  const llvm::DataLayout& layout =
      llvm::cast<llvm::GlobalValue>(rules_.threads[kMain].root)->getParent()->getDataLayout();
  const unsigned width = layout.getIndexSizeInBits(0);
  llvm::MapVector<llvm::Value*, llvm::APInt> factors;
  llvm::APInt offset(width, 0);
  const Value lost =
      base.kind == Kind::pointer ? Value{.kind = Kind::somewhere, .id = base.id} : Value{};
  if (!place.collectOffset(layout, width, factors, offset)) return lost;
  uint64_t bytes = base.bits + static_cast<uint64_t>(offset.getSExtValue());
  for (const auto& [index, factor] : factors) {
    const Value value = value_of(*index, thread);
    if (value.kind != Kind::number) return lost;
    const llvm::APInt number(index->getType()->getIntegerBitWidth(), value.bits);
    bytes += static_cast<uint64_t>(number.getSExtValue() * factor.getSExtValue());
  }
  if (base.kind == Kind::number)
    return {.kind = Kind::number, .bits = width == 64 ? bytes : bytes & 0xffffffff};
  // Nothing that a program may access is there.
  if (bytes >= kCounter) return lost;
  return {.kind = Kind::pointer, .id = base.id, .bits = bytes};
}

Value Machine::compare(const llvm::ICmpInst& compare, const Value& a, const Value& b) const {
  const auto answer = [](bool holds) { return Value{.kind = Kind::number, .bits = holds}; };
  const llvm::CmpInst::Predicate predicate = compare.getPredicate();
  llvm::Type* type = compare.getOperand(0)->getType();
  const unsigned width = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
  if (width > 64) return {};
  if (a.kind == Kind::number && b.kind == Kind::number)
    return answer(
        llvm::ICmpInst::compare(llvm::APInt(width, a.bits), llvm::APInt(width, b.bits), predicate));
  const auto is_object = [](const Value& value) {
    return value.kind == Kind::pointer || value.kind == Kind::somewhere;
  };
  if (!compare.isEquality()) return {};
  const bool wants_equal = predicate == llvm::CmpInst::ICMP_EQ;
  const auto is_not_null = [&](const Value& value) {
    if (value.kind == Kind::function) return true;
    return is_object(value) && !places_[value.id].may_be_null;
  };
  if ((is_zero(a) && is_not_null(b)) || (is_zero(b) && is_not_null(a))) return answer(!wants_equal);
  if (a.kind == Kind::function && b.kind == Kind::function)
    return answer((a.bits == b.bits) == wants_equal);
  if (a.kind != Kind::pointer || b.kind != Kind::pointer) return {};
  if (a.id == b.id && !places_[a.id].is_summary) return answer((a.bits == b.bits) == wants_equal);
  // The end of one object may be the beginning of the next.
  if (a.id != b.id && a.bits == 0 && b.bits == 0 && places_[a.id].site != places_[b.id].site)
    return answer(!wants_equal);
  return {};
}

Value Machine::compute(const llvm::Instruction& instruction, const ThreadState& thread) {
  const auto operand = [&](unsigned i) { return value_of(*instruction.getOperand(i), thread); };
  if (const auto* place = dyn_cast<llvm::GEPOperator>(&instruction)) return address(*place, thread);
  if (const auto* one = dyn_cast<llvm::ICmpInst>(&instruction)) {
    if (one->getOperand(0)->getType()->isVectorTy()) return {};
    return compare(*one, operand(0), operand(1));
  }
  if (llvm::isa<llvm::FreezeInst>(instruction)) return operand(0);
  if (llvm::isa<llvm::SelectInst>(instruction)) {
    const Value condition = operand(0);
    if (condition.kind == Kind::number) return operand(condition.bits != 0 ? 1 : 2);
    const Value one = operand(1);
    return one == operand(2) ? one : Value{};
  }
  if (const auto* part = dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(part->getAggregateOperand());
    if (!swap) return {};
    const Frame& frame = thread.frames.back();
    return frame.read(frame.code->slot_of(*swap) + part->getIndices().front());
  }
  llvm::Type* type = instruction.getType();
  if (!type->isIntOrPtrTy()) return {};
  const unsigned width = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
  if (width > 64) return {};
  if (const auto* cast = dyn_cast<llvm::CastInst>(&instruction)) {
    const Value value = operand(0);
    llvm::Type* from = cast->getSrcTy();
    if (value.kind != Kind::number || !from->isIntOrPtrTy()) {
      // As wide as a pointer, or to one and back.
      const bool keeps =
          from->isIntOrPtrTy() && instruction.getDataLayout().getTypeSizeInBits(type) >=
                                      instruction.getDataLayout().getPointerSizeInBits();
      return keeps ? value : Value{};
    }
    if (!from->isIntegerTy() || !type->isIntegerTy()) return value;
    const llvm::APInt bits(from->getIntegerBitWidth(), value.bits);
    return number_value(llvm::isa<llvm::SExtInst>(cast) ? bits.sext(width)
                                                        : bits.zextOrTrunc(width));
  }
  const auto* binary = dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!binary || !type->isIntegerTy()) return {};
  const Value a = operand(0), b = operand(1);
  if (a.kind == Kind::number && b.kind == Kind::number) {
    const auto result =
        calculate(binary->getOpcode(), llvm::APInt(width, a.bits), llvm::APInt(width, b.bits));
    return result ? number_value(*result) : Value{};
  }
  const unsigned opcode = binary->getOpcode();
  if ((opcode == llvm::Instruction::And || opcode == llvm::Instruction::Mul) &&
      (is_zero(a) || is_zero(b)))
    return {.kind = Kind::number};
  return {};
}

}  // namespace foretell::static_analysis
