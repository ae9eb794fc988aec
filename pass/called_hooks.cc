// SPDX-License-Identifier: Apache-2.0

// What is recorded by a function of the runtime instead of a sequence in the program: ranges of memory,
// atomics, fences, branches.
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "instrumenter.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;
using recording::Op;

namespace {

MemoryOrder order_of(llvm::AtomicOrdering order) {
  switch (order) {
    case llvm::AtomicOrdering::NotAtomic:
    case llvm::AtomicOrdering::Unordered:
    case llvm::AtomicOrdering::Monotonic:
      return MemoryOrder::relaxed;
    case llvm::AtomicOrdering::Acquire:
      return MemoryOrder::acquire;
    case llvm::AtomicOrdering::Release:
      return MemoryOrder::release;
    case llvm::AtomicOrdering::AcquireRelease:
      return MemoryOrder::acq_rel;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return MemoryOrder::seq_cst;
  }
  llvm_unreachable("unknown atomic ordering");
}

// As an argument of a hook.
llvm::Value* order_argument(llvm::IRBuilderBase& builder, llvm::AtomicOrdering order) {
  return builder.getInt32(static_cast<uint32_t>(order_of(order)));
}

}  // namespace

void Instrumenter::instrument_range(llvm::Instruction& access, uint32_t site) {
  const Touched memory = touched({&access, Hook::range});
  if (compact_op({&access, Hook::range}, memory.size) != Op::None) {
    check(access, memory.pointer);
    llvm::IRBuilder<> after(access.getNextNode());
    after.SetCurrentDebugLocation(access.getDebugLoc());
    record(after, header(after, memory.pointer, site), nullptr);
    return;
  }
  llvm::IRBuilder<> builder(&access);
  const auto& hook = isa<llvm::StoreInst>(access) ? hooks_.write_range : hooks_.read_range;
  builder.CreateCall(hook,
                     {memory.pointer, builder.getInt64(memory.size), table_.number(builder, site)});
}

// Only the lanes whose mask is set are touched; each is a range of its own.
void Instrumenter::instrument_masked(llvm::CallBase& call, uint32_t site) {
  const bool store = call.getType()->isVoidTy();
  llvm::Value* pointers = call.getArgOperand(store ? 1 : 0);
  llvm::Value* mask = call.getArgOperand(store ? 3 : 2);
  auto* type = cast<llvm::VectorType>(store ? call.getArgOperand(0)->getType() : call.getType());
  llvm::Type* element = type->getElementType();
  const uint64_t size = call.getDataLayout().getTypeStoreSize(element);
  llvm::SplitBlockAndInsertForEachLane(
      type->getElementCount(), llvm::Type::getInt64Ty(call.getContext()), &call,
      [&](llvm::IRBuilderBase& builder, llvm::Value* lane) {
        llvm::Value* is_set = builder.CreateExtractElement(mask, lane);
        if (auto* known = dyn_cast<llvm::ConstantInt>(is_set); known && known->isZero()) return;
        llvm::Instruction* end =
            llvm::SplitBlockAndInsertIfThen(is_set, &*builder.GetInsertPoint(), false);
        llvm::IRBuilder<> then(end);
        then.SetCurrentDebugLocation(call.getDebugLoc());
        llvm::Value* address = pointers->getType()->isVectorTy()
                                   ? then.CreateExtractElement(pointers, lane)
                                   : then.CreateGEP(element, pointers, lane);
        then.CreateCall(store ? hooks_.write_range : hooks_.read_range,
                        {address, then.getInt64(size), table_.number(then, site)});
      });
}

void Instrumenter::instrument_copy(llvm::Instruction& instruction, bool source, uint32_t site) {
  auto& copy = cast<llvm::AnyMemIntrinsic>(instruction);
  llvm::Value* address =
      source ? cast<llvm::AnyMemTransferInst>(copy).getRawSource() : copy.getRawDest();
  llvm::Value* length = copy.getLength();
  llvm::IRBuilder<> builder(&instruction);
  // Nothing is touched by a copy of no bytes, not even the address.
  if (auto* known = dyn_cast<llvm::ConstantInt>(length)) {
    if (known->isZero()) return;
  } else {
    llvm::Instruction* end =
        llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(length), &instruction, false);
    builder.SetInsertPoint(end);
    builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  }
  builder.CreateCall(source ? hooks_.read_range : hooks_.write_range,
                     {address, builder.CreateZExtOrTrunc(length, builder.getInt64Ty()),
                      table_.number(builder, site)});
}

void Instrumenter::instrument_atomic(llvm::Instruction& atomic, uint32_t site) {
  const Touched memory = touched({&atomic, Hook::atomic});
  llvm::IRBuilder<> builder(&atomic);
  builder.CreateCall(hooks_.atomic_begin, {memory.pointer, table_.number(builder, site)});
  llvm::Instruction* after = atomic.getNextNode();
  builder.SetInsertPoint(after);
  builder.SetCurrentDebugLocation(atomic.getDebugLoc());
  const auto size = builder.getInt32(static_cast<uint32_t>(memory.size));
  const auto order = [&](llvm::AtomicOrdering ordering) {
    return order_argument(builder, ordering);
  };
  if (auto* load = dyn_cast<llvm::LoadInst>(&atomic)) {
    builder.CreateCall(hooks_.atomic_read,
                       {memory.pointer, wide_bits_of(builder, load), size,
                        order(load->getOrdering()), table_.number(builder, site)});
  } else if (auto* store = dyn_cast<llvm::StoreInst>(&atomic)) {
    builder.CreateCall(hooks_.atomic_write,
                       {memory.pointer, wide_bits_of(builder, store->getValueOperand()), size,
                        order(store->getOrdering()), table_.number(builder, site)});
  } else if (auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&atomic)) {
    llvm::Value* written =
        llvm::buildAtomicRMWValue(rmw->getOperation(), builder, rmw, rmw->getValOperand());
    builder.CreateCall(hooks_.atomic_rmw,
                       {memory.pointer, wide_bits_of(builder, rmw), wide_bits_of(builder, written),
                        size, order(rmw->getOrdering()), table_.number(builder, site)});
  } else {
    auto& exchange = cast<llvm::AtomicCmpXchgInst>(atomic);
    llvm::Value* read = wide_bits_of(builder, builder.CreateExtractValue(&exchange, 0));
    llvm::Value* success = builder.CreateExtractValue(&exchange, 1);
    llvm::Instruction* done = nullptr;
    llvm::Instruction* failed = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(success, after, &done, &failed);
    builder.SetInsertPoint(done);
    builder.SetCurrentDebugLocation(atomic.getDebugLoc());
    builder.CreateCall(hooks_.atomic_rmw,
                       {memory.pointer, read, wide_bits_of(builder, exchange.getNewValOperand()),
                        size, order(exchange.getSuccessOrdering()), table_.number(builder, site)});
    builder.SetInsertPoint(failed);
    builder.SetCurrentDebugLocation(atomic.getDebugLoc());
    builder.CreateCall(hooks_.atomic_read,
                       {memory.pointer, read, size, order(exchange.getFailureOrdering()),
                        table_.number(builder, site)});
  }
}

// What it reads and writes is what the word holds before and after it.
void Instrumenter::instrument_assembly(llvm::CallBase& assembly, uint32_t site) {
  const AssemblyOperand operand = operand_of(assembly);
  const auto look = [&](llvm::IRBuilderBase& builder) {
    llvm::LoadInst* value =
        builder.CreateAlignedLoad(operand.type, operand.pointer, llvm::Align(1), true);
    return wide_bits_of(builder, value);
  };
  llvm::IRBuilder<> builder(&assembly);
  builder.CreateCall(hooks_.atomic_begin, {operand.pointer, table_.number(builder, site)});
  llvm::Value* before = look(builder);
  builder.SetInsertPoint(assembly.getNextNode());
  builder.SetCurrentDebugLocation(assembly.getDebugLoc());
  llvm::Value* after = look(builder);
  const auto size = builder.getInt32(operand.type->getIntegerBitWidth() / 8);
  builder.CreateCall(hooks_.atomic_rmw,
                     {operand.pointer, before, after, size,
                      order_argument(builder, llvm::AtomicOrdering::AcquireRelease),
                      table_.number(builder, site)});
}

void Instrumenter::instrument_fence(llvm::FenceInst& fence, uint32_t site) {
  llvm::IRBuilder<> builder(&fence);
  builder.CreateCall(hooks_.fence,
                     {order_argument(builder, fence.getOrdering()), table_.number(builder, site)});
}

void Instrumenter::instrument_branch(llvm::Instruction& branch, uint32_t site) {
  llvm::IRBuilder<> builder(&branch);
  llvm::Value* way = isa<llvm::BranchInst>(branch) ? cast<llvm::BranchInst>(branch).getCondition()
                                                   : cast<llvm::SwitchInst>(branch).getCondition();
  builder.CreateCall(hooks_.branch, {builder.CreateZExtOrTrunc(way, builder.getInt64Ty()),
                                     table_.number(builder, site)});
}

}  // namespace foretell::pass
