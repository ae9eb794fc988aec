// SPDX-License-Identifier: Apache-2.0

// Calls of LLVM's intrinsics.

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;
using program::AccessKind;

// False if it is none of those that read or write the program's memory.
bool PointsTo::visit_memory_intrinsic(const llvm::CallBase& call) {
  if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    const Node from = of(copy->getRawSource()), to = of(copy->getRawDest());
    const auto* length = dyn_cast<llvm::ConstantInt>(copy->getLength());
    touch(call, AccessKind::read, from, /*is_source=*/true);
    touch(call, AccessKind::write, to);
    if (!length || length->getZExtValue() > 0)
      solver_.copy_memory(to, from, length ? Extent{length->getZExtValue()} : Extent{});
    return true;
  }
  if (const auto* set = dyn_cast<llvm::AnyMemSetInst>(&call)) {
    touch(call, AccessKind::write, of(set->getRawDest()));
    return true;
  }
  const Node first = argument(call, 0), second = argument(call, 1);
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::vastart:
      // The list points to the arguments that are not named.
      touch(call, AccessKind::write, first);
      solver_.store(first, anywhere(pointing_to(variadic_of(*call.getFunction()))), {});
      return true;
    case llvm::Intrinsic::vacopy:
      touch(call, AccessKind::write, first);
      touch(call, AccessKind::read, second, /*is_source=*/true);
      solver_.copy_memory(first, second, {});
      return true;
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_expandload:
      // Each lane is an access of its own.
      touch(call, AccessKind::read, anywhere(first));
      solver_.load(first, of(&call), extent_of(call.getType()));
      return true;
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter:
    case llvm::Intrinsic::masked_compressstore:
      touch(call, AccessKind::write, anywhere(second));
      solver_.store(second, first, extent_of(call.getArgOperand(0)->getType()));
      return true;
    default:
      return false;
  }
}

void PointsTo::visit_intrinsic(const llvm::CallBase& call) {
  if (isa<llvm::DbgInfoIntrinsic>(call) || visit_memory_intrinsic(call)) return;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::eh_typeid_for:
    case llvm::Intrinsic::objectsize:
    case llvm::Intrinsic::is_constant:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
      return;
    case llvm::Intrinsic::threadlocal_address:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ptr_annotation:
    case llvm::Intrinsic::ssa_copy:
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
      return solver_.copy(argument(call, 0), of(&call));
    default:
      break;
  }
  // What computes its result from its operands alone.
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory()) {
    if (!can_hold_pointer(*call.getType())) return;
    for (const llvm::Use& one : call.args())
      if (!one->getType()->isMetadataTy()) solver_.shift(of(one), of(&call), kAnywhere);
    return;
  }
  unknown_functions_[call.getCalledFunction()->getName().str()]++;
  touch_arguments(call);
  visit_unknown(call);
}

}  // namespace foretell::bitcode
