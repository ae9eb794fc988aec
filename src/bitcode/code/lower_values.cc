// SPDX-License-Identifier: Apache-2.0

#include "bitcode/code/lower_values.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace foretell::bitcode {

using llvm::dyn_cast;
using program::Operand;

std::optional<uint8_t> width_of(const llvm::Type& type) {
  if (type.isPointerTy()) return 64;
  if (type.isIntegerTy() && type.getIntegerBitWidth() <= 64)
    return static_cast<uint8_t>(type.getIntegerBitWidth());
  if (type.isFloatTy()) return 32;
  if (type.isDoubleTy()) return 64;
  return {};
}

ValueNames::ValueNames(const llvm::Module& module) : layout_(module.getDataLayout()) {
  for (const llvm::Function& function : module)
    functions_[&function] = static_cast<uint32_t>(functions_.size());
  for (const llvm::GlobalVariable& global : module.globals())
    globals_[&global] = static_cast<uint32_t>(globals_.size());
}

uint32_t ValueNames::enter(const llvm::Function& function) {
  registers_.clear();
  uint32_t next = 0;
  for (const llvm::Argument& argument : function.args()) registers_[&argument] = next++;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (!instruction.getType()->isVoidTy()) registers_[&instruction] = next++;
  return next;
}

std::optional<Operand> ValueNames::operand_of(const llvm::Value& value) const {
  const auto width = width_of(*value.getType());
  if (const auto* constant = dyn_cast<llvm::Constant>(&value))
    return operand_of_constant(*constant);
  const auto known = registers_.find(&value);
  if (known == registers_.end() || !width) return {};
  return Operand{.kind = Operand::Kind::reg, .width = *width, .index = known->second};
}

std::optional<Operand> ValueNames::operand_of_constant(const llvm::Constant& constant) const {
  const auto width = width_of(*constant.getType());
  if (!width) return {};
  if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
    return Operand{.kind = Operand::Kind::integer, .width = *width, .bits = number->getZExtValue()};
  if (const auto* number = dyn_cast<llvm::ConstantFP>(&constant))
    return Operand{.kind = Operand::Kind::real,
                   .width = *width,
                   .bits = number->getValueAPF().bitcastToAPInt().getZExtValue()};
  if (llvm::isa<llvm::ConstantPointerNull>(constant))
    return Operand{.kind = Operand::Kind::null, .width = 64};
  if (llvm::isa<llvm::UndefValue>(constant))
    return Operand{.kind = Operand::Kind::undefined, .width = *width};
  if (const auto* function = dyn_cast<llvm::Function>(&constant))
    return Operand{.kind = Operand::Kind::function, .width = 64, .index = number_of(*function)};
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(&constant))
    return operand_of_constant(*alias->getAliasee());
  if (const auto* global = dyn_cast<llvm::GlobalVariable>(&constant))
    return Operand{.kind = Operand::Kind::global, .width = 64, .index = number_of(*global)};
  if (const auto* address = dyn_cast<llvm::GEPOperator>(&constant)) {
    llvm::APInt offset(64, 0);
    if (!address->accumulateConstantOffset(layout_, offset)) return {};
    auto base = operand_of_constant(*llvm::cast<llvm::Constant>(address->getPointerOperand()));
    if (base) base->bits += static_cast<uint64_t>(offset.getSExtValue());
    return base;
  }
  if (const auto* cast = dyn_cast<llvm::ConstantExpr>(&constant);
      cast && (cast->getOpcode() == llvm::Instruction::IntToPtr ||
               cast->getOpcode() == llvm::Instruction::PtrToInt))
    return operand_of_constant(*cast->getOperand(0));
  return {};
}

bool ValueNames::initialize(const llvm::Constant& constant, uint64_t at,
                            program::CodeGlobal& global) const {
  if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return true;
  if (const auto* data = dyn_cast<llvm::ConstantDataSequential>(&constant)) {
    const uint64_t each = layout_.getTypeAllocSize(data->getElementType());
    for (unsigned i = 0; i < data->getNumElements(); i++)
      if (!initialize(*data->getElementAsConstant(i), at + i * each, global)) return false;
    return true;
  }
  if (const auto* record = dyn_cast<llvm::ConstantStruct>(&constant)) {
    const llvm::StructLayout* fields = layout_.getStructLayout(record->getType());
    for (unsigned i = 0; i < record->getNumOperands(); i++)
      if (!initialize(*record->getOperand(i), at + fields->getElementOffset(i), global))
        return false;
    return true;
  }
  if (const auto* array = dyn_cast<llvm::ConstantArray>(&constant)) {
    const uint64_t each = layout_.getTypeAllocSize(array->getType()->getElementType());
    for (unsigned i = 0; i < array->getNumOperands(); i++)
      if (!initialize(*array->getOperand(i), at + i * each, global)) return false;
    return true;
  }
  const auto operand = operand_of_constant(constant);
  if (!operand) return false;
  if (operand->kind == Operand::Kind::integer || operand->kind == Operand::Kind::real) {
    for (uint64_t i = 0; i * 8 < operand->width; i++)
      global.bytes[at + i] = static_cast<uint8_t>(operand->bits >> (i * 8));
  } else {
    global.references.push_back({at, *operand});
  }
  return true;
}

}  // namespace foretell::bitcode
