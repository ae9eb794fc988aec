// SPDX-License-Identifier: Apache-2.0

#include "instrumenter.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "expression.h"
#include "options.h"
#include "recording/hooks.h"
#include "watching.h"

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

namespace {

// The type of a parameter or result of a hook.
template <class T>
llvm::Type* type_of(llvm::LLVMContext& context) {
  if constexpr (std::is_void_v<T>) {
    return llvm::Type::getVoidTy(context);
  } else if constexpr (std::is_pointer_v<T>) {
    return llvm::PointerType::getUnqual(context);
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4);
    return llvm::Type::getIntNTy(context, 8 * sizeof(T));
  }
}

// The type of a hook, as recording/hooks.h declares it.
template <class T>
struct Signature;
template <class Result, class... Parameters>
struct Signature<Result(Parameters...)> {
  static llvm::FunctionType* type(llvm::LLVMContext& context) {
    return llvm::FunctionType::get(type_of<Result>(context), {type_of<Parameters>(context)...},
                                   false);
  }
};

llvm::FunctionCallee declare(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type) {
  return module.getOrInsertFunction(
      name, type,
      llvm::AttributeList().addFnAttribute(module.getContext(), llvm::Attribute::NoUnwind));
}

}  // namespace

Hooks::Hooks(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* word = llvm::Type::getInt32Ty(context);
  auto* wide = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* thread_type =
      llvm::StructType::get(pointer, wide, word, word, pointer, wide, wide, word, word, pointer,
                            wide, wide, wide, pointer, wide, pointer);
  static_assert(sizeof(ForetellThread) == 112 && offsetof(ForetellThread, regions) == 24 &&
                offsetof(ForetellThread, shadow) == 56);
  thread = cast<llvm::GlobalVariable>(module.getOrInsertGlobal("__foretell_thread", thread_type));
  thread->setThreadLocalMode(llvm::GlobalValue::InitialExecTLSModel);
  thread->setAlignment(llvm::Align(8));
#define FORETELL_DECLARE(hook) \
  hook = declare(module, "__foretell_" #hook, Signature<decltype(__foretell_##hook)>::type(context))
  FORETELL_DECLARE(check);
  FORETELL_DECLARE(many_hits);
  FORETELL_DECLARE(new_region);
  FORETELL_DECLARE(read_range);
  FORETELL_DECLARE(write_range);
  FORETELL_DECLARE(atomic_begin);
  FORETELL_DECLARE(atomic_read);
  FORETELL_DECLARE(atomic_write);
  FORETELL_DECLARE(atomic_rmw);
  FORETELL_DECLARE(fence);
  FORETELL_DECLARE(branch);
  FORETELL_DECLARE(watched_loop);
#undef FORETELL_DECLARE
  // A type that keeps registers matches no Signature.
  using Watched = void(const void*, uint64_t, uint32_t, uint32_t);
  watched = declare(module, "__foretell_watched", Signature<Watched>::type(context));
  work = declare(module, "__foretell_work", Signature<void()>::type(context));
  for (llvm::FunctionCallee rare : {check, many_hits, new_region, watched, work})
    cast<llvm::Function>(rare.getCallee())->addFnAttr(llvm::Attribute::Cold);
  for (llvm::FunctionCallee light : {watched, work})
    cast<llvm::Function>(light.getCallee())->setCallingConv(llvm::CallingConv::PreserveMost);
  // The linker's stub for a function's first call keeps the registers of arguments only.
  for (llvm::FunctionCallee light : {watched, work, watched_loop})
    cast<llvm::Function>(light.getCallee())->addFnAttr(llvm::Attribute::NonLazyBind);
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
    case Hook::fence: {
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* order =
          order_argument(builder, cast<llvm::FenceInst>(instruction).getOrdering());
      builder.CreateCall(hooks_.fence, {order, table_.number(builder, site)});
      return;
    }
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

void Instrumenter::instrument_call(llvm::Instruction& call, uint32_t site) {
  llvm::IRBuilder<> builder(&call);
  builder.CreateStore(table_.number(builder, site),
                      thread_field(builder, offsetof(ForetellThread, call_site)));
}

void Instrumenter::instrument_branch(llvm::Instruction& branch, uint32_t site) {
  llvm::IRBuilder<> builder(&branch);
  llvm::Value* way = isa<llvm::BranchInst>(branch) ? cast<llvm::BranchInst>(branch).getCondition()
                                                   : cast<llvm::SwitchInst>(branch).getCondition();
  builder.CreateCall(hooks_.branch, {builder.CreateZExtOrTrunc(way, builder.getInt64Ty()),
                                     table_.number(builder, site)});
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
