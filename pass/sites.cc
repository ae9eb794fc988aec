// SPDX-License-Identifier: Apache-2.0

#include "sites.h"

#include <llvm/IR/IntrinsicInst.h>

#include "expression.h"
#include "options.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;
using recording::Op;

Touched touched(const Hooked& hooked) {
  llvm::Instruction* instruction = hooked.instruction;
  const llvm::DataLayout& layout = instruction->getDataLayout();
  if (hooked.hook == Hook::copy_from || hooked.hook == Hook::copy_to) {
    auto* copy = cast<llvm::AnyMemIntrinsic>(instruction);
    const auto* length = dyn_cast<llvm::ConstantInt>(copy->getLength());
    const uint64_t size = length ? length->getZExtValue() : 1;
    if (hooked.hook == Hook::copy_to) return {copy->getRawDest(), size};
    return {cast<llvm::AnyMemTransferInst>(copy)->getRawSource(), size};
  }
  if (hooked.hook == Hook::masked) {
    auto* call = cast<llvm::IntrinsicInst>(instruction);
    const bool store = call->getType()->isVoidTy();
    llvm::Value* pointer = call->getArgOperand(store ? 1 : 0);
    if (!pointer->getType()->isPointerTy()) return {};
    llvm::Type* type = store ? call->getArgOperand(0)->getType() : call->getType();
    return {pointer, layout.getTypeStoreSize(type)};
  }
  if (hooked.hook == Hook::assembly) {
    const AssemblyOperand operand = operand_of(cast<llvm::CallBase>(*instruction));
    return {operand.pointer, layout.getTypeStoreSize(operand.type)};
  }
  if (auto* pointer = llvm::getLoadStorePointerOperand(instruction))
    return {pointer, layout.getTypeStoreSize(llvm::getLoadStoreType(instruction))};
  if (auto* rmw = dyn_cast<llvm::AtomicRMWInst>(instruction))
    return {rmw->getPointerOperand(), layout.getTypeStoreSize(rmw->getType())};
  if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(instruction))
    return {exchange->getPointerOperand(),
            layout.getTypeStoreSize(exchange->getNewValOperand()->getType())};
  return {};
}

namespace {

Op op_of(bool write, uint64_t size) {
  switch (size) {
    case 1:
      return write ? Op::Write1 : Op::Read1;
    case 2:
      return write ? Op::Write2 : Op::Read2;
    case 4:
      return write ? Op::Write4 : Op::Read4;
    case 16:
      return write ? Op::Write16 : Op::Read16;
    case 32:
      return write ? Op::Write32 : Op::Read32;
    default:
      return write ? Op::Write8 : Op::Read8;
  }
}

}  // namespace

Op compact_op(const Hooked& hooked, uint64_t size) {
  const bool whole_vector = hooked.hook == Hook::range && (size == 16 || size == 32);
  if (hooked.hook == Hook::access || hooked.hook == Hook::filtered || whole_vector)
    return op_of(isa<llvm::StoreInst>(hooked.instruction), size);
  return hooked.hook == Hook::branch ? Op::Branch : Op::None;
}

Sites add_sites(llvm::Function& function, const Selection& selection, SiteTable& table) {
  Expressions expressions(function);
  Sites sites;
  for (const Hooked& hooked : selection.hooked) {
    const Position position = position_of(*hooked.instruction);
    if (hooked.hook == Hook::call) {
      sites.of_hooks.push_back(table.add(
          position, expressions.of_call(cast<llvm::CallBase>(*hooked.instruction), position),
          recording::kSiteCall));
      continue;
    }
    const Touched memory = touched(hooked);
    sites.of_hooks.push_back(table.add(
        position,
        memory.pointer ? expressions.of_access(memory.pointer, memory.size, position) : "", 0,
        compact_op(hooked, memory.size)));
  }
  const Position own = position_of(function);
  // In a library function even one access needs its caller: reports show the call, not the library.
  if (function_hooks == FunctionHooks::all &&
      (selection.calls > 0 || selection.accesses >= 2 || (own.library && selection.accesses > 0)))
    sites.of_function = table.add(own, "", recording::kSiteFunction, Op::FunctionEnter);
  return sites;
}

}  // namespace foretell::pass
