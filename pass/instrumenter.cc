// SPDX-License-Identifier: Apache-2.0

#include "instrumenter.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "recording/hooks.h"
#include "watching.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Splitting the entry block must not make static stack slots dynamic.
void gather_static_slots(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::Instruction* first = &*entry.getFirstInsertionPt();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(entry)) {
    auto* slot = dyn_cast<llvm::AllocaInst>(&instruction);
    if (slot && slot != first && slot->isStaticAlloca()) slot->moveBefore(first);
    if (slot == first) first = first->getNextNode();
  }
}

}  // namespace

void forget_purity(llvm::Function& function) {
  const auto strip = [](auto& attributed) {
    attributed.removeFnAttr(llvm::Attribute::Memory);
    attributed.removeFnAttr(llvm::Attribute::NoSync);
    attributed.removeFnAttr(llvm::Attribute::NoFree);
    attributed.removeFnAttr(llvm::Attribute::WillReturn);
    attributed.removeFnAttr(llvm::Attribute::Speculatable);
    attributed.removeFnAttr(llvm::Attribute::NoCallback);
  };
  strip(function);
  // A parameter the optimizer never saw read or written through is still not.
  for (llvm::User* user : function.users())
    if (auto* call = dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == &function)
      strip(*call);
}

void Instrumenter::instrument(llvm::Function& function, const Selection& selection,
                              const Sites& sites) {
  gather_static_slots(function);
  llvm::Function* watching = nullptr;
  if (has_two_bodies(function, selection, sites)) {
    llvm::ValueToValueMapTy copies;
    watching = copy_of(function, copies);
    Selection its_own = selection;
    for (Hooked& hooked : its_own.hooked)
      hooked.instruction = cast<llvm::Instruction>(&*copies[hooked.instruction]);
    instrument_watching(*watching, std::move(its_own), sites);
  }
  instrument_recording(function, selection, sites);
  if (watching) jump_to_watching(function, *watching);
}

void Instrumenter::instrument_recording(llvm::Function& function, const Selection& selection,
                                        const Sites& sites) {
  // From the last to the first: a check splits its block and moves what follows, which is then
  // little. Forwards a long block would take quadratic time. The two hooks of a copy keep their
  // order.
  const auto& hooked = selection.hooked;
  std::vector<size_t> begins;  // of what is instrumented together
  for (size_t begin = 0; begin < hooked.size();) {
    begins.push_back(begin);
    if (hooked[begin].hook == Hook::filtered) {
      begin = gather_reads(hooked, begin);
      continue;
    }
    do begin++;
    while (begin < hooked.size() && hooked[begin].instruction == hooked[begin - 1].instruction);
  }
  for (size_t end = hooked.size(); !begins.empty(); begins.pop_back()) {
    const size_t begin = begins.back();
    if (hooked[begin].hook == Hook::filtered && end - begin > 1) {
      instrument_together(llvm::ArrayRef(hooked).slice(begin, end - begin),
                          llvm::ArrayRef(sites.of_hooks).slice(begin, end - begin));
    } else {
      for (size_t i = begin; i < end; i++) instrument_one(hooked[i], sites.of_hooks[i]);
    }
    end = begin;
  }
  if (sites.of_function)
    instrument_entry_and_exits(function, *sites.of_function,
                               /*leaves_call_sites=*/selection.calls > 0);
  if (!selection.hooked.empty()) forget_purity(function);
}

void Instrumenter::instrument_one(const Hooked& hooked, uint32_t site) {
  llvm::Instruction& instruction = *hooked.instruction;
  switch (hooked.hook) {
    case Hook::access:
      return instrument_access(instruction, site);
    case Hook::filtered:
      return instrument_filtered(cast<llvm::LoadInst>(instruction), site);
    case Hook::range:
      return instrument_range(instruction, site);
    case Hook::masked:
      return instrument_masked(cast<llvm::CallBase>(instruction), site);
    case Hook::copy_from:
      return instrument_copy(instruction, true, site);
    case Hook::copy_to:
      return instrument_copy(instruction, false, site);
    case Hook::atomic:
      return instrument_atomic(instruction, site);
    case Hook::assembly:
      return instrument_assembly(cast<llvm::CallBase>(instruction), site);
    case Hook::fence:
      return instrument_fence(cast<llvm::FenceInst>(instruction), site);
    case Hook::call:
      return instrument_call(instruction, site);
    case Hook::branch:
      return instrument_branch(instruction, site);
  }
}

llvm::Value* Instrumenter::thread_field(llvm::IRBuilderBase& builder, size_t offset) const {
  // The address is computed anew at each use: it is one load from the GOT, while keeping it would
  // take a register through the whole function.
  llvm::Value* thread = builder.CreateThreadLocalAddress(hooks_.thread);
  return offset == 0 ? thread
                     : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread, offset);
}

void Instrumenter::check(llvm::Instruction& before, llvm::Value* address) {
  llvm::IRBuilder<> builder(&before);
  llvm::Value* place = thread_field(builder, offsetof(ForetellThread, fuel));
  llvm::Value* left =
      builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), place), builder.getInt64(1));
  builder.CreateStore(left, place);
  llvm::MDNode* unlikely = llvm::MDBuilder(before.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* slow = llvm::SplitBlockAndInsertIfThen(
      builder.CreateICmpSLT(left, builder.getInt64(0)), &before, false, unlikely);
  llvm::IRBuilder<> slow_builder(slow);
  slow_builder.SetCurrentDebugLocation(builder.getCurrentDebugLocation());
  slow_builder.CreateCall(hooks_.check, {address});
}

llvm::Value* Instrumenter::header(llvm::IRBuilderBase& builder, llvm::Value* address,
                                  uint32_t site) const {
  return builder.CreateAdd(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                           table_.bits(builder, site));
}

void Instrumenter::record(llvm::IRBuilderBase& builder, llvm::Value* header, llvm::Value* value) {
  set_cursor(builder, add_record(builder, cursor(builder), header, value));
}

llvm::Value* Instrumenter::cursor(llvm::IRBuilderBase& builder) const {
  return builder.CreateLoad(builder.getPtrTy(),
                            thread_field(builder, offsetof(ForetellThread, cursor)));
}

llvm::Value* Instrumenter::add_record(llvm::IRBuilderBase& builder, llvm::Value* at,
                                      llvm::Value* header, llvm::Value* value) {
  const auto behind = [&](uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), at, offset);
  };
  uint64_t size = sizeof(uint64_t);
  // Volatile keeps the order of the two: a record is there with its header, and the program may be
  // killed between them.
  if (value) {
    builder.CreateAlignedStore(value, behind(size), llvm::Align(1), /*isVolatile=*/true);
    size += value->getType()->getIntegerBitWidth() / 8;
  }
  builder.CreateAlignedStore(header, at, llvm::Align(1), /*isVolatile=*/true);
  return behind(size);
}

void Instrumenter::set_cursor(llvm::IRBuilderBase& builder, llvm::Value* cursor) const {
  builder.CreateStore(cursor, thread_field(builder, offsetof(ForetellThread, cursor)));
}

llvm::Value* Instrumenter::bits_of(llvm::IRBuilderBase& builder, llvm::Value* value) const {
  const llvm::DataLayout& layout = builder.GetInsertBlock()->getDataLayout();
  llvm::Type* type = value->getType();
  if (!has_recorded_value(type, layout)) return builder.getInt64(0);
  // Undefined bits may be anything, but a stored record must not be undefined itself.
  if (auto* constant = dyn_cast<llvm::Constant>(value)) {
    if (constant->containsUndefOrPoisonElement()) value = llvm::Constant::getNullValue(type);
  } else {
    value = builder.CreateFreeze(value);
  }
  const auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(type));
  auto* exact = builder.getIntNTy(bits);
  value = type->isPointerTy() ? builder.CreatePtrToInt(value, exact)
                              : builder.CreateBitCast(value, exact);
  return builder.CreateZExt(
      value, builder.getIntNTy(static_cast<unsigned>(layout.getTypeStoreSizeInBits(type))));
}

llvm::Value* Instrumenter::wide_bits_of(llvm::IRBuilderBase& builder, llvm::Value* value) const {
  return builder.CreateZExt(bits_of(builder, value), builder.getInt64Ty());
}

void Instrumenter::instrument_access(llvm::Instruction& access, uint32_t site) {
  const bool write = isa<llvm::StoreInst>(access);
  llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  check(access, address);
  llvm::IRBuilder<> builder(access.getNextNode());
  builder.SetCurrentDebugLocation(access.getDebugLoc());
  llvm::Value* value = write ? cast<llvm::StoreInst>(access).getValueOperand() : &access;
  record(builder, header(builder, address, site), bits_of(builder, value));
}

void Instrumenter::instrument_call(llvm::Instruction& call, uint32_t site) {
  llvm::IRBuilder<> builder(&call);
  builder.CreateStore(table_.number(builder, site),
                      thread_field(builder, offsetof(ForetellThread, call_site)));
}

void Instrumenter::record_entry(llvm::IRBuilder<>& builder, uint32_t site) {
  check(*builder.GetInsertPoint(), llvm::ConstantPointerNull::get(builder.getPtrTy()));
  builder.SetInsertPoint(&*builder.GetInsertPoint());
  llvm::Value* place = thread_field(builder, offsetof(ForetellThread, call_site));
  llvm::Value* caller = builder.CreateLoad(builder.getInt32Ty(), place);
  builder.CreateStore(builder.getInt32(0), place);
  record(builder,
         builder.CreateAdd(builder.CreateZExt(caller, builder.getInt64Ty()),
                           table_.bits(builder, site)),
         nullptr);
}

void Instrumenter::record_exit(llvm::IRBuilder<>& builder, uint32_t site) {
  check(*builder.GetInsertPoint(), llvm::ConstantPointerNull::get(builder.getPtrTy()));
  builder.SetInsertPoint(&*builder.GetInsertPoint());
  record(builder,
         builder.CreateAdd(builder.getInt64(recording::kExitBit), table_.bits(builder, site)),
         nullptr);
}

void Instrumenter::instrument_entry_and_exits(llvm::Function& function, uint32_t site,
                                              bool leaves_call_sites) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const auto no_line = [&](llvm::IRBuilderBase& builder) {
    if (subprogram && !builder.getCurrentDebugLocation())
      builder.SetCurrentDebugLocation(llvm::DILocation::get(
          function.getContext(), 0, 0, const_cast<llvm::DISubprogram*>(subprogram)));
  };
  llvm::BasicBlock::iterator first = function.getEntryBlock().getFirstInsertionPt();
  while (isa<llvm::AllocaInst>(*first)) ++first;
  llvm::IRBuilder<> builder(&function.getEntryBlock(), first);
  no_line(builder);
  record_entry(builder, site);
  // Turns calls that may throw into invokes, so that unwinding passes an exit too.
  llvm::EscapeEnumerator exits(function, "foretell_cleanup");
  while (llvm::IRBuilder<>* exit = exits.Next()) {
    no_line(*exit);
    record_exit(*exit, site);
    // Whom this function called last must not pass for the caller of what its own caller, if not
    // instrumented, calls next. Before a tail call the site is that call's.
    if (leaves_call_sites && exit->GetInsertPoint()->isTerminator())
      exit->CreateStore(exit->getInt32(0),
                        thread_field(*exit, offsetof(ForetellThread, call_site)));
  }
}

}  // namespace foretell::pass
