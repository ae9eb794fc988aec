// SPDX-License-Identifier: Apache-2.0

// The constraints of instructions other than calls.

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <numeric>

#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;
using program::AccessKind;

namespace {

bool is_wide(const llvm::Type* type) {
  return type->getScalarSizeInBits() >= 64 || type->isPtrOrPtrVectorTy();
}

// Whether an address is computed from itself, as that of a pointer which a loop advances.
bool is_repeated(const llvm::GetElementPtrInst& address) {
  constexpr size_t kMaxSteps = 64;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*, 16> left = {address.getPointerOperand()};
  while (!left.empty()) {
    const llvm::Value* value = left.pop_back_val();
    if (value == &address) return true;
    if (!seen.insert(value).second || seen.size() > kMaxSteps) continue;
    if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
      left.append(phi->op_begin(), phi->op_end());
    } else if (const auto* choice = dyn_cast<llvm::SelectInst>(value)) {
      left.push_back(choice->getTrueValue());
      left.push_back(choice->getFalseValue());
    } else if (isa<llvm::GetElementPtrInst>(value) || isa<llvm::CastInst>(value) ||
               isa<llvm::FreezeInst>(value)) {
      left.push_back(llvm::cast<llvm::Instruction>(value)->getOperand(0));
    }
  }
  return false;
}

}  // namespace

void PointsTo::visit(const llvm::Instruction& instruction) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    const Node pointer = of(load->getPointerOperand());
    touch(*load, AccessKind::read, pointer);
    solver_.load(pointer, of(load), extent_of(load->getType()));
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    const Node pointer = of(store->getPointerOperand());
    touch(*store, AccessKind::write, pointer);
    solver_.store(pointer, of(store->getValueOperand()),
                  extent_of(store->getValueOperand()->getType()));
  } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    const Node pointer = of(exchange->getPointerOperand());
    const Extent extent = extent_of(exchange->getNewValOperand()->getType());
    touch(*exchange, AccessKind::update, pointer);
    solver_.load(pointer, of(exchange), extent);
    solver_.store(pointer, of(exchange->getNewValOperand()), extent);
  } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const Node pointer = of(update->getPointerOperand());
    const Extent extent = extent_of(update->getType());
    touch(*update, AccessKind::update, pointer);
    solver_.load(pointer, of(update), extent);
    // An exchange stores its operand; the others store a number computed from both.
    const bool is_exchange = update->getOperation() == llvm::AtomicRMWInst::Xchg;
    solver_.store(pointer,
                  is_exchange ? of(update->getValOperand()) : anywhere(of(update->getValOperand())),
                  extent);
    if (!is_exchange) solver_.store(pointer, anywhere(of(update)), extent);
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    visit_call(*call);
  } else if (const auto* slot = dyn_cast<llvm::AllocaInst>(&instruction)) {
    const auto size = slot->getAllocationSize(module_.getDataLayout());
    const ObjectId object =
        add_object({.kind = MadeOf::stack, .value = slot},
                   size && !size->isScalable() ? std::optional<uint64_t>(size->getFixedValue())
                                               : std::nullopt);
    solver_.point(of(slot), object);
  } else if (const auto* next = dyn_cast<llvm::VAArgInst>(&instruction)) {
    // The list is a pointer, or holds some, to where the arguments are.
    const Node list = of(next->getPointerOperand()), area = solver_.add_node();
    touch(*next, AccessKind::update, list);
    solver_.load(list, area, {});
    solver_.load(area, of(next), {});
  } else if (isa<llvm::LandingPadInst>(instruction)) {
    make_unknown(of(&instruction));
  } else if (const auto* end = dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (end->getReturnValue())
      solver_.copy(of(end->getReturnValue()), result_of(*end->getFunction()));
  } else {
    visit_operator(instruction);
  }
}

// Instructions that compute a value from others.
void PointsTo::visit_operator(const llvm::Instruction& instruction) {
  const auto from = [&](unsigned operand) {
    solver_.copy(of(instruction.getOperand(operand)), of(&instruction));
  };
  const auto near = [&](unsigned operand) {
    solver_.shift(of(instruction.getOperand(operand)), of(&instruction), kAnywhere);
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      return visit_address(llvm::cast<llvm::GEPOperator>(instruction), of(&instruction),
                           is_repeated(llvm::cast<llvm::GetElementPtrInst>(instruction)));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return from(0);
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
      from(0);
      return from(1);
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      near(0);
      return near(1);
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return near(0);
    case llvm::Instruction::Select:
      from(1);
      return from(2);
    case llvm::Instruction::PHI:
      for (unsigned i = 0; i < instruction.getNumOperands(); i++) from(i);
      return;
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return visit_sum(instruction);
    case llvm::Instruction::Resume:
      return escape(of(instruction.getOperand(0)));
    default:
      return;  // comparisons, products, floating point, branches
  }
}

void PointsTo::visit_sum(const llvm::Instruction& sum) {
  const unsigned width = module_.getDataLayout().getPointerSizeInBits();
  if (!is_wide(sum.getType()) && sum.getType()->getScalarSizeInBits() < width) return;
  const auto* amount = dyn_cast<llvm::ConstantInt>(sum.getOperand(1));
  // In a loop the sum may be added to again and again.
  if (amount && amount->getBitWidth() == width && !isa<llvm::PHINode>(sum.getOperand(0))) {
    const int64_t offset = amount->getSExtValue();
    const bool is_sum = sum.getOpcode() == llvm::Instruction::Add;
    if (offset != INT64_MIN)
      return solver_.shift(of(sum.getOperand(0)), of(&sum), {is_sum ? offset : -offset, 0});
  }
  for (const llvm::Use& operand : sum.operands()) solver_.shift(of(operand), of(&sum), kAnywhere);
}

void PointsTo::visit_address(const llvm::GEPOperator& address, Node result, bool is_repeated) {
  // An address computed as a number, in the form of an offset from null.
  if (isa<llvm::ConstantPointerNull>(address.getPointerOperand()))
    for (const llvm::Use& operand : address.operands())
      solver_.shift(of(operand), result, kAnywhere);
  const Node base = of(address.getPointerOperand());
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(layout.getIndexTypeSizeInBits(address.getType()), 0);
  if (address.getType()->isVectorTy() ||
      !address.collectOffset(layout, constant.getBitWidth(), variable, constant))
    return solver_.shift(base, result, kAnywhere);
  Shift by{.offset = constant.getSExtValue()};
  for (const auto& [index, scale] : variable)
    by.stride = std::gcd(by.stride, scale.abs().getZExtValue());
  if (is_repeated) by.stride = std::gcd(by.stride, constant.abs().getZExtValue());
  solver_.shift(base, result, by);
}

}  // namespace foretell::bitcode
