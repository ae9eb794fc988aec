// SPDX-License-Identifier: Apache-2.0

// Reads of which repeats are left out while the program runs (recording/filter.h). One of them:
//
//   head:   regions = thread.regions; if not null goto probe
//   plain:  check; value = *address; record; goto done
//   probe:  peek = *address; place = where its cells are; if there are none goto fresh
//   known:  if the keys or the value differ goto take
//   hit:    if (--thread.hits_left < 0) { call many_hits; goto probe }; goto done
//   fresh:  new_region(address)
//   take:   as plain; if (cells) store keys and value
//   done:   phi(value, peek, value)
//
// Others may run in many_hits, so it is looked at again what the memory holds then.
//
// The filter looks before the check, because what it leaves out is no step, and the access itself
// comes after it, because others may run there.
//
// Several reads of a block with nothing but arithmetic between them are gathered behind the first,
// and looked at together:
//
//   head:   regions = thread.regions; if null goto bulk
//   probe:  peek at all; if any keys or values differ goto each
//   hit:    as above, for all of them
//   bulk:   if (thread.fuel < how many) goto each; thread.fuel -= how many; read and record all
//   each:   one after the other, as above
//   done:   phis
//
// Regions without cells look as if they had empty ones, so a probe needs no branch for them.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "instrumenter.h"
#include "recording/filter.h"
#include "recording/hooks.h"

namespace foretell::pass {
namespace {

// The cells of one access.
class Cells {
 public:
  Cells(llvm::IRBuilderBase& builder, llvm::Value* cells, llvm::Value* address, uint64_t size)
      : builder_(builder), size_(size) {
    llvm::Value* number = builder.CreatePtrToInt(address, builder.getInt64Ty());
    llvm::Value* block = builder.CreateAnd(number, filter::kRegionMask & ~(filter::kGrain - 1));
    static_assert(filter::kCellSize == filter::kGrain << 1);
    block_ = at(cells, builder.CreateShl(block, 1));
    if (size >= filter::kGrain) return;
    key_ = at(block_, builder.CreateAnd(number, filter::kKeyGrain));
    value_ = at(key_, filter::kValueOffset);
    if (size == filter::kKeyGrain) return;
    llvm::Value* within = builder.CreateAnd(number, filter::kKeyGrain - 1);
    value_ = at(value_, within);
    bytes_ =
        builder.CreateShl(builder.getInt32((1u << size) - 1), builder.CreateTrunc(within, word()));
  }

  // 0 if all of it was read in this segment, with this value.
  llvm::Value* difference(llvm::Value* seen, llvm::Value* value) {
    if (size_ < filter::kGrain) {
      llvm::Value* keys =
          builder_.CreateXor(load(word(), key_), builder_.CreateTrunc(seen, word()));
      if (bytes_)
        keys = builder_.CreateAnd(keys,
                                  builder_.CreateOr(bytes_, builder_.getInt32(~filter::kWholeKey)));
      llvm::Value* values = builder_.CreateXor(load(value->getType(), value_), value);
      return builder_.CreateOr(builder_.CreateZExt(keys, wide()),
                               builder_.CreateZExt(values, wide()));
    }
    llvm::Value* all = nullptr;
    for (uint64_t i = 0; i < size_ / filter::kGrain; i++) {
      llvm::Value* keys = builder_.CreateXor(load(wide(), at(block_, filter::kCellSize * i)), seen);
      llvm::Value* values = builder_.CreateXor(load(wide(), value_at(i)), word_of(value, i));
      all = all ? builder_.CreateOr(all, keys) : keys;
      all = builder_.CreateOr(all, values);
    }
    return all;
  }

  void remember(llvm::Value* seen, llvm::Value* value) {
    if (size_ < filter::kGrain) {
      llvm::Value* key = builder_.CreateTrunc(seen, word());
      if (bytes_) {
        llvm::Value* old = load(word(), key_);
        llvm::Value* is_current = builder_.CreateICmpULE(builder_.CreateXor(old, key),
                                                         builder_.getInt32(filter::kWholeKey));
        llvm::Value* none = builder_.CreateAnd(key, builder_.getInt32(~filter::kWholeKey));
        key = builder_.CreateOr(builder_.CreateSelect(is_current, old, none), bytes_);
      }
      store(key, key_);
      store(value, value_);
      return;
    }
    for (uint64_t i = 0; i < size_ / filter::kGrain; i++) {
      store(seen, at(block_, filter::kCellSize * i));
      store(word_of(value, i), value_at(i));
    }
  }

 private:
  llvm::Type* word() { return builder_.getInt32Ty(); }
  llvm::Type* wide() { return builder_.getInt64Ty(); }
  llvm::Value* at(llvm::Value* base, llvm::Value* offset) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base, offset);
  }
  llvm::Value* at(llvm::Value* base, uint64_t offset) {
    return at(base, builder_.getInt64(offset));
  }
  llvm::Value* value_at(uint64_t i) {
    return at(block_, filter::kCellSize * i + filter::kValueOffset);
  }
  llvm::Value* word_of(llvm::Value* value, uint64_t i) {
    return value->getType()->isVectorTy() ? builder_.CreateExtractElement(value, i) : value;
  }
  llvm::Value* load(llvm::Type* type, llvm::Value* from) {
    return builder_.CreateAlignedLoad(type, from, llvm::Align(1));
  }
  void store(llvm::Value* value, llvm::Value* to) {
    builder_.CreateAlignedStore(value, to, llvm::Align(1));
  }

  llvm::IRBuilderBase& builder_;
  uint64_t size_;
  llvm::Value* block_;
  llvm::Value* key_ = nullptr;
  llvm::Value* value_ = nullptr;
  llvm::Value* bytes_ = nullptr;  // of a key: those of an access of less than 4
};

// As an integer, or as words if it is longer.
llvm::Value* words_of(llvm::IRBuilderBase& builder, llvm::Value* value, uint64_t size) {
  value = builder.CreateFreeze(value);
  if (value->getType()->isPtrOrPtrVectorTy()) {
    // Not all of them have 8 bytes: __ptr32.
    const llvm::DataLayout& layout = builder.GetInsertBlock()->getDataLayout();
    value = builder.CreatePtrToInt(value, layout.getIntPtrType(value->getType()));
  }
  if (size > 8) {
    auto* words = llvm::FixedVectorType::get(builder.getInt64Ty(), static_cast<unsigned>(size / 8));
    return builder.CreateBitCast(value, words);
  }
  const auto bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits());
  return builder.CreateZExt(builder.CreateBitCast(value, builder.getIntNTy(bits)),
                            builder.getIntNTy(static_cast<unsigned>(size * 8)));
}

// Where the cells of the region of `address` begin; 0 behind the empty ones if it has none.
llvm::Value* offset_of_cells(llvm::IRBuilderBase& builder, llvm::Value* regions,
                             llvm::Value* address) {
  llvm::Value* region = builder.CreateLShr(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                                           filter::kRegionShift);
  llvm::Value* table =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), regions, filter::kTableOffset);
  return builder.CreateLoad(builder.getInt64Ty(),
                            builder.CreateInBoundsGEP(builder.getInt64Ty(), table, region));
}

llvm::Value* cells_at(llvm::IRBuilderBase& builder, llvm::Value* regions, llvm::Value* offset) {
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), regions, offset);
}

uint64_t bytes_read_by(const llvm::LoadInst& load) {
  return load.getDataLayout().getTypeStoreSize(load.getType());
}

// errno is what a function returns the address of, and nothing longer than it lies there.
bool may_read_errno(const llvm::LoadInst& load) {
  return bytes_read_by(load) <= 4 &&
         !llvm::isIdentifiedObject(llvm::getUnderlyingObject(load.getPointerOperand()));
}

// The first read of a gathering and what comes between it and the next one. A set, because asking a
// block for the order of its instructions takes as long as it is, after each that is moved.
using Passed = llvm::SmallPtrSet<llvm::Instruction*, 32>;

// Those of `passed` that compute an address, each after those it needs. False if memory must be
// read for it.
bool gather_address(llvm::Value* value, const Passed& passed,
                    llvm::SmallVectorImpl<llvm::Instruction*>& chain) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !passed.contains(instruction) || llvm::is_contained(chain, instruction))
    return true;
  constexpr size_t kLongest = 16;
  if (instruction->mayReadOrWriteMemory() || chain.size() == kLongest) return false;
  for (llvm::Value* operand : instruction->operands())
    if (!gather_address(operand, passed, chain)) return false;
  chain.push_back(instruction);
  return true;
}

}  // namespace

size_t Instrumenter::gather_reads(const std::vector<Hooked>& hooked, size_t begin) {
  constexpr size_t kMost = 8;
  llvm::Instruction* first = hooked[begin].instruction;
  llvm::Instruction* last = first;
  Passed passed{first};
  size_t end = begin + 1;
  while (end < hooked.size() && end - begin < kMost && hooked[end].hook == Hook::filtered) {
    llvm::Instruction* next = hooked[end].instruction;
    if (next->getParent() != first->getParent()) break;
    const bool reads_errno = may_read_errno(llvm::cast<llvm::LoadInst>(*next));
    bool passable = true;
    for (llvm::Instruction* i = last->getNextNode(); passable && i != next; i = i->getNextNode()) {
      passed.insert(i);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(i);
      passable = (call && only_sets_errno(*call) && !reads_errno) ||
                 (!i->mayWriteToMemory() && llvm::isGuaranteedToTransferExecutionToSuccessor(i));
    }
    llvm::SmallVector<llvm::Instruction*, 8> chain;
    if (!passable || !gather_address(next->getOperand(0), passed, chain)) break;
    for (llvm::Instruction* instruction : chain) {
      instruction->moveBefore(first);
      passed.erase(instruction);
    }
    next->moveAfter(last);
    passed.insert(next);
    last = next;
    end++;
  }
  return end;
}

llvm::Value* Instrumenter::seen(llvm::IRBuilderBase& builder) const {
  return builder.CreateLoad(builder.getInt64Ty(),
                            thread_field(builder, offsetof(ForetellThread, seen)));
}

// Ends `hit` with a jump to `done`, or by way of the runtime back to `probe` if hits_left is used
// up.
void Instrumenter::count_hits(llvm::IRBuilderBase& builder, uint64_t count, llvm::BasicBlock* probe,
                              llvm::BasicBlock* done) {
  llvm::BasicBlock* many =
      llvm::BasicBlock::Create(done->getContext(), "", done->getParent(), done);
  llvm::Value* place = thread_field(builder, offsetof(ForetellThread, hits_left));
  llvm::Value* left =
      builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), place), builder.getInt64(count));
  builder.CreateStore(left, place);
  builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt64(0)), many, done,
                       llvm::MDBuilder(done->getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(many);
  builder.CreateCall(hooks_.many_hits);
  builder.CreateBr(probe);
}

void Instrumenter::instrument_filtered(llvm::LoadInst& load, uint32_t site) {
  llvm::LLVMContext& context = load.getContext();
  llvm::Value* address = load.getPointerOperand();
  const uint64_t size = bytes_read_by(load);
  llvm::BasicBlock* head = load.getParent();
  llvm::BasicBlock* take = head->splitBasicBlock(&load);
  llvm::BasicBlock* done = take->splitBasicBlock(load.getNextNode());
  auto* both = llvm::PHINode::Create(load.getType(), 4, "", done->begin());
  load.replaceAllUsesWith(both);
  const auto block = [&] {
    return llvm::BasicBlock::Create(context, "", load.getFunction(), take);
  };
  llvm::BasicBlock *plain = block(), *probe = block(), *known = block(), *hit = block();
  llvm::BasicBlock* fresh = block();
  llvm::IRBuilder<> builder(context);
  const auto begin = [&](llvm::BasicBlock* at) {
    builder.SetInsertPoint(at);
    builder.SetCurrentDebugLocation(load.getDebugLoc());
  };
  const auto take_step = [&](llvm::LoadInst& read) {
    check(read, address);
    builder.SetInsertPoint(read.getNextNode());
    builder.SetCurrentDebugLocation(read.getDebugLoc());
    llvm::Value* value = words_of(builder, &read, size);
    record(builder, header(builder, address, site), size <= 8 ? value : nullptr);
    return value;
  };
  auto* pointer = builder.getPtrTy();

  head->getTerminator()->eraseFromParent();
  begin(head);
  llvm::Value* regions =
      builder.CreateLoad(pointer, thread_field(builder, offsetof(ForetellThread, regions)));
  builder.CreateCondBr(builder.CreateIsNull(regions), plain, probe);

  begin(plain);
  auto* read = llvm::cast<llvm::LoadInst>(builder.Insert(load.clone()));
  llvm::Instruction* plain_end = builder.CreateBr(done);
  take_step(*read);
  both->addIncoming(read, plain_end->getParent());

  begin(probe);
  auto* peek = llvm::cast<llvm::LoadInst>(builder.Insert(load.clone()));
  llvm::Value* offset = offset_of_cells(builder, regions, address);
  builder.CreateCondBr(builder.CreateIsNull(offset), fresh, known,
                       llvm::MDBuilder(context).createUnlikelyBranchWeights());

  begin(known);
  llvm::Value* old_cells = cells_at(builder, regions, offset);
  llvm::Value* difference = Cells(builder, old_cells, address, size)
                                .difference(seen(builder), words_of(builder, peek, size));
  builder.CreateCondBr(builder.CreateIsNull(difference), hit, take);

  begin(hit);
  count_hits(builder, 1, probe, done);

  begin(fresh);
  llvm::Value* new_cells = builder.CreateCall(hooks_.new_region, {address});
  builder.CreateBr(take);

  builder.SetInsertPoint(take, take->begin());
  auto* cells = builder.CreatePHI(pointer, 2);
  cells->addIncoming(new_cells, fresh);
  cells->addIncoming(old_cells, known);
  llvm::Value* value = take_step(load);
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(cells),
                                                           &*builder.GetInsertPoint(), false);
  builder.SetInsertPoint(end);
  Cells(builder, cells, address, size).remember(seen(builder), value);

  both->addIncoming(peek, hit);
  both->addIncoming(&load, end->getSuccessor(0));
}

void Instrumenter::instrument_together(llvm::ArrayRef<Hooked> reads,
                                       llvm::ArrayRef<uint32_t> sites) {
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
  for (const Hooked& read : reads) loads.push_back(llvm::cast<llvm::LoadInst>(read.instruction));
  llvm::LoadInst& first = *loads.front();
  llvm::LLVMContext& context = first.getContext();
  llvm::BasicBlock* head = first.getParent();
  llvm::BasicBlock* each = head->splitBasicBlock(&first);
  llvm::BasicBlock* done = each->splitBasicBlock(loads.back()->getNextNode());
  const auto block = [&] {
    return llvm::BasicBlock::Create(context, "", first.getFunction(), each);
  };
  llvm::BasicBlock *probe = block(), *hit = block(), *bulk = block(), *bulk_record = block();
  llvm::IRBuilder<> builder(context);
  const auto begin = [&](llvm::BasicBlock* at) {
    builder.SetInsertPoint(at);
    builder.SetCurrentDebugLocation(first.getDebugLoc());
  };
  llvm::SmallVector<llvm::PHINode*, 8> values;
  for (llvm::LoadInst* load : loads) {
    builder.SetInsertPoint(done, done->getFirstNonPHIIt());
    values.push_back(builder.CreatePHI(load->getType(), 4));
    load->replaceAllUsesWith(values.back());
  }

  head->getTerminator()->eraseFromParent();
  begin(head);
  llvm::Value* regions = builder.CreateLoad(
      builder.getPtrTy(), thread_field(builder, offsetof(ForetellThread, regions)));
  builder.CreateCondBr(builder.CreateIsNull(regions), bulk, probe);

  begin(probe);
  llvm::Value* now = seen(builder);
  llvm::Value* all = builder.getInt64(0);
  for (size_t i = 0; i < loads.size(); i++) {
    auto* peek = llvm::cast<llvm::LoadInst>(builder.Insert(loads[i]->clone()));
    llvm::Value* address = peek->getPointerOperand();
    llvm::Value* cells = cells_at(builder, regions, offset_of_cells(builder, regions, address));
    const uint64_t size = bytes_read_by(*peek);
    all = builder.CreateOr(
        all, Cells(builder, cells, address, size).difference(now, words_of(builder, peek, size)));
    values[i]->addIncoming(peek, hit);
  }
  builder.CreateCondBr(builder.CreateIsNull(all), hit, each);

  begin(hit);
  count_hits(builder, loads.size(), probe, done);

  begin(bulk);
  llvm::Value* fuel_at = thread_field(builder, offsetof(ForetellThread, fuel));
  llvm::Value* left = builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), fuel_at),
                                        builder.getInt64(loads.size()));
  builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt64(0)), each, bulk_record,
                       llvm::MDBuilder(context).createUnlikelyBranchWeights());
  begin(bulk_record);
  // A read may fault and a handler go on from there: nothing is recorded before the last.
  llvm::SmallVector<llvm::Instruction*, 8> bulk_reads;
  for (llvm::LoadInst* load : loads) bulk_reads.push_back(builder.Insert(load->clone()));
  builder.CreateStore(left, fuel_at);
  llvm::Value* at = cursor(builder);
  for (size_t i = 0; i < loads.size(); i++) {
    llvm::Instruction* read = bulk_reads[i];
    const uint64_t size = bytes_read_by(*loads[i]);
    llvm::Value* value = words_of(builder, read, size);
    at = add_record(builder, at, header(builder, loads[i]->getPointerOperand(), sites[i]),
                    size <= 8 ? value : nullptr);
    values[i]->addIncoming(read, bulk_record);
  }
  set_cursor(builder, at);
  builder.CreateBr(done);

  for (size_t i = 0; i < loads.size(); i++) values[i]->addIncoming(loads[i], each);
  for (size_t i = loads.size(); i-- > 0;) instrument_filtered(*loads[i], sites[i]);
}

}  // namespace foretell::pass
