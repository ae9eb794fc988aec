// SPDX-License-Identifier: Apache-2.0

// The body of a function that watches (recording/watching.h):
//
//   entry     frames[depth++ % kMostFrames] = site | call site << 32; if (--work < 0) call work
//   access    shadow word of each granule; if one differs from the epoch, call watched
//   round     at the end of each round of a loop with hooks: if (--work < 0) call work
//   loop      if its addresses are known before, one check there for all rounds (watched_loops.h)
//   exit      depth--
//
// Everything else is as in the body that records: it calls the runtime anyway. The entry of the
// original function jumps to this body if the thread watches. Two bodies cost code that one of them
// never runs; one body that could do both would cost time at every access in both modes.
#include "watching.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "deciding.h"
#include "recording/hooks.h"
#include "recording/watching.h"
#include "watched_loops.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// A label in assembly may be there only once.
bool has_label_in_assembly(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (!call || !call->isInlineAsm()) return false;
    const auto* code = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
    const llvm::StringRef text = code->getAsmString();
    return text.contains(':') && !text.contains("${:uid}");
  });
}

llvm::MDNode* unlikely(llvm::LLVMContext& context) {
  return llvm::MDBuilder(context).createUnlikelyBranchWeights();
}

llvm::CallInst* call_lightly(llvm::IRBuilderBase& builder, llvm::FunctionCallee hook,
                             llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = builder.CreateCall(hook, arguments);
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  return call;
}

// The last instructions of the rounds of all loops that have hooks and are not counted otherwise.
llvm::SmallVector<llvm::Instruction*, 0> ends_of_rounds(
    llvm::Function& body, const Selection& selection,
    const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& counted) {
  const llvm::DominatorTree tree(body);
  const llvm::LoopInfo loops(tree);
  llvm::SmallPtrSet<const llvm::Loop*, 8> hooked;
  for (const Hooked& one : selection.hooked)
    for (const llvm::Loop* loop = loops.getLoopFor(one.instruction->getParent()); loop;
         loop = loop->getParentLoop())
      hooked.insert(loop);
  llvm::SetVector<llvm::Instruction*> ends;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!hooked.contains(loop)) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    for (llvm::BasicBlock* latch : latches)
      if (!counted.contains(latch)) ends.insert(latch->getTerminator());
  }
  return ends.takeVector();
}

}  // namespace

bool is_checked_inline(const Hooked& hooked) {
  constexpr uint64_t kMost = 64;
  return hooked.hook == Hook::access || hooked.hook == Hook::filtered ||
         (hooked.hook == Hook::range && touched(hooked).size <= kMost);
}

bool has_two_bodies(const llvm::Function& function, const Selection& selection,
                    const Sites& sites) {
  return (selection.accesses > 0 || sites.of_function) && !has_label_in_assembly(function);
}

llvm::Function* copy_of(llvm::Function& function, llvm::ValueToValueMapTy& copies) {
  llvm::Function* copy = llvm::CloneFunction(&function, copies);
  copy->setName(function.getName() + foretell::watching::kBodySuffix);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
  copy->setDLLStorageClass(llvm::GlobalValue::DefaultStorageClass);
  copy->setDSOLocal(true);
  // If the linker takes the function from another file, it does not need this copy either.
  copy->setComdat(function.getComdat());
  return copy;
}

void Instrumenter::instrument_watching(llvm::Function& body, Selection given, const Sites& sites) {
  const WatchedLoops loops = check_before_loops(
      body, std::move(given), sites.of_hooks,
      [&](llvm::Instruction& before, const std::array<llvm::Value*, 5>& arguments, uint32_t what) {
        return check_loop(before, arguments, what);
      });
  const Selection& selection = loops.selection;
  const auto deciding = deciding_accesses(body);
  const llvm::SmallVector<llvm::Instruction*, 0> rounds =
      ends_of_rounds(body, selection, loops.counted);
  // From the last to the first, as in instrument_recording.
  for (size_t end = selection.hooked.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 &&
           selection.hooked[begin - 1].instruction == selection.hooked[begin].instruction)
      begin--;
    for (size_t i = begin; i < end; i++) {
      const Hooked& hooked = selection.hooked[i];
      if (is_checked_inline(hooked))
        watch_access(hooked, loops.sites[i], deciding.contains(hooked.instruction));
      else
        instrument_one(hooked, loops.sites[i]);
    }
    end = begin;
  }
  llvm::Value* one = llvm::ConstantInt::get(llvm::Type::getInt64Ty(body.getContext()), 1);
  for (llvm::Instruction* round : rounds) count_work(*round, one);
  for (const auto& [before, count] : loops.rounds) count_work(*before, count);
  if (sites.of_function)
    watch_entry_and_exits(body, *sites.of_function, /*leaves_call_sites=*/selection.calls > 0);
  if (!selection.hooked.empty()) forget_purity(body);
}

void Instrumenter::watch_access(const Hooked& hooked, uint32_t site, bool decides) {
  llvm::Instruction& access = *hooked.instruction;
  const bool write = isa<llvm::StoreInst>(access);
  const Touched memory = touched({&access, Hook::access});
  llvm::IRBuilder<> builder(&access);
  llvm::Type* wide = builder.getInt64Ty();
  const auto field = [&](llvm::Type* type, size_t offset) {
    return builder.CreateLoad(type, thread_field(builder, offset));
  };
  llvm::Value* number = builder.CreatePtrToInt(memory.pointer, wide);
  llvm::Value* shadow = field(builder.getPtrTy(), offsetof(ForetellThread, shadow));
  llvm::Value* mask = field(wide, offsetof(ForetellThread, shadow_mask));
  llvm::Type* half = write ? wide : builder.getInt32Ty();
  llvm::Value* epoch = field(half, offsetof(ForetellThread, epoch));
  // The granules: those that begin every 8 bytes, and the one of the last byte if that may lie in
  // another.
  std::vector<uint64_t> offsets;
  for (uint64_t at = 0; at < memory.size; at += watching::kGranule) offsets.push_back(at);
  const llvm::Align alignment = llvm::getLoadStoreAlignment(&access);
  if (alignment.value() < std::min(memory.size, watching::kGranule))
    offsets.push_back(memory.size - 1);
  llvm::Value* differs = nullptr;
  for (uint64_t offset : offsets) {
    llvm::Value* at = offset ? builder.CreateAdd(number, builder.getInt64(offset)) : number;
    llvm::Value* place =
        builder.CreateGEP(builder.getInt8Ty(), shadow, builder.CreateAnd(at, mask));
    if (!write) place = builder.CreateConstGEP1_64(builder.getInt8Ty(), place, 4);
    llvm::Value* other = builder.CreateICmpNE(builder.CreateLoad(half, place), epoch);
    differs = differs ? builder.CreateOr(differs, other) : other;
  }
  llvm::Instruction* slow =
      llvm::SplitBlockAndInsertIfThen(differs, &access, false, unlikely(access.getContext()));
  llvm::IRBuilder<> then(slow);
  then.SetCurrentDebugLocation(access.getDebugLoc());
  const recording::Op op = compact_op(hooked, memory.size);
  uint32_t what = static_cast<uint32_t>(op) | static_cast<uint32_t>(memory.size)
                                                  << watching::kSizeShift;
  if (hooked.hook == Hook::filtered) what |= watching::kFiltered;
  if (write) what |= watching::kWrites;
  if (decides) what |= watching::kDecides;
  const bool has_value = op != recording::Op::None && memory.size <= watching::kGranule;
  if (has_value) what |= watching::kHasValue;
  llvm::Value* value = then.getInt64(0);
  if (write && has_value)
    value = wide_bits_of(then, llvm::cast<llvm::StoreInst>(access).getValueOperand());
  call_lightly(then, hooks_.watched,
               {memory.pointer, value, table_.number(then, site), then.getInt32(what)});
}

llvm::Value* Instrumenter::check_loop(llvm::Instruction& before,
                                      const std::array<llvm::Value*, 5>& arguments, uint32_t what) {
  llvm::IRBuilder<> builder(&before);
  // A call of a function that may be inlined must have a line.
  if (llvm::DISubprogram* subprogram = before.getFunction()->getSubprogram();
      subprogram && !builder.getCurrentDebugLocation())
    builder.SetCurrentDebugLocation(llvm::DILocation::get(before.getContext(), 0, 0, subprogram));
  return builder.CreateICmpNE(
      builder.CreateCall(hooks_.watched_loop, {arguments[0], arguments[1], arguments[2],
                                               arguments[3], arguments[4], builder.getInt32(what)}),
      builder.getInt32(0));
}

void Instrumenter::count_work(llvm::Instruction& before, llvm::Value* rounds) {
  llvm::IRBuilder<> builder(&before);
  llvm::Value* place = thread_field(builder, offsetof(ForetellThread, work));
  llvm::Value* left = builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), place), rounds);
  builder.CreateStore(left, place);
  llvm::Instruction* slow =
      llvm::SplitBlockAndInsertIfThen(builder.CreateICmpSLT(left, builder.getInt64(0)), &before,
                                      false, unlikely(before.getContext()));
  llvm::IRBuilder<> then(slow);
  then.SetCurrentDebugLocation(builder.getCurrentDebugLocation());
  call_lightly(then, hooks_.work, {});
}

void Instrumenter::watch_entry_and_exits(llvm::Function& body, uint32_t site,
                                         bool leaves_call_sites) {
  const auto line_of = [&](llvm::IRBuilderBase& builder) {
    llvm::DISubprogram* subprogram = body.getSubprogram();
    if (subprogram && !builder.getCurrentDebugLocation())
      builder.SetCurrentDebugLocation(llvm::DILocation::get(body.getContext(), 0, 0, subprogram));
  };
  llvm::BasicBlock::iterator first = body.getEntryBlock().getFirstInsertionPt();
  while (isa<llvm::AllocaInst>(*first)) ++first;
  llvm::IRBuilder<> builder(&body.getEntryBlock(), first);
  line_of(builder);
  llvm::Type* wide = builder.getInt64Ty();
  llvm::Value* depth_place = thread_field(builder, offsetof(ForetellThread, depth));
  llvm::Value* depth = builder.CreateLoad(wide, depth_place);
  llvm::Value* call_place = thread_field(builder, offsetof(ForetellThread, call_site));
  llvm::Value* caller =
      builder.CreateZExt(builder.CreateLoad(builder.getInt32Ty(), call_place), wide);
  builder.CreateStore(builder.getInt32(0), call_place);
  llvm::Value* frame = builder.CreateOr(builder.CreateShl(caller, 32),
                                        builder.CreateZExt(table_.number(builder, site), wide));
  llvm::Value* frames = builder.CreateLoad(builder.getPtrTy(),
                                           thread_field(builder, offsetof(ForetellThread, frames)));
  builder.CreateStore(
      frame, builder.CreateGEP(wide, frames, builder.CreateAnd(depth, watching::kMostFrames - 1)));
  builder.CreateStore(builder.CreateAdd(depth, builder.getInt64(1)), depth_place);
  count_work(*first, llvm::ConstantInt::get(wide, 1));
  llvm::EscapeEnumerator exits(body, "foretell_cleanup");
  while (llvm::IRBuilder<>* exit = exits.Next()) {
    line_of(*exit);
    llvm::Value* place = thread_field(*exit, offsetof(ForetellThread, depth));
    exit->CreateStore(exit->CreateSub(exit->CreateLoad(wide, place), exit->getInt64(1)), place);
    if (leaves_call_sites && exit->GetInsertPoint()->isTerminator())
      exit->CreateStore(exit->getInt32(0),
                        thread_field(*exit, offsetof(ForetellThread, call_site)));
  }
}

void Instrumenter::jump_to_watching(llvm::Function& function, llvm::Function& body) {
  llvm::BasicBlock::iterator first = function.getEntryBlock().getFirstInsertionPt();
  while (isa<llvm::AllocaInst>(*first)) ++first;
  llvm::IRBuilder<> builder(&function.getEntryBlock(), first);
  llvm::DILocation* line = nullptr;
  if (llvm::DISubprogram* subprogram = function.getSubprogram())
    line = llvm::DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  builder.SetCurrentDebugLocation(line);
  llvm::Value* watching = builder.CreateLoad(
      builder.getInt32Ty(), thread_field(builder, offsetof(ForetellThread, watching)));
  llvm::Instruction* jump = llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(watching),
                                                            &*builder.GetInsertPoint(), true);
  llvm::IRBuilder<> then(jump);
  then.SetCurrentDebugLocation(line);
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (llvm::Argument& argument : function.args()) arguments.push_back(&argument);
  llvm::CallInst* call = then.CreateCall(&body, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes().removeFnAttributes(function.getContext()));
  // The code generator cannot keep the promise of a must-tail call in every function, and only
  // variable arguments need it.
  call->setTailCallKind(function.isVarArg() ? llvm::CallInst::TCK_MustTail
                                            : llvm::CallInst::TCK_Tail);
  if (call->getType()->isVoidTy())
    then.CreateRetVoid();
  else
    then.CreateRet(call);
  jump->eraseFromParent();
}

}  // namespace foretell::pass
