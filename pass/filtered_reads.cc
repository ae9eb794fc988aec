// A read of which repeats are left out while the program runs (runtime/filter.h):
//
//   head:   regions = thread.regions; if null goto take
//   probe:  peek = *address; cells = regions[address >> 24]; if null goto fresh
//   known:  if the keys or the value differ goto take
//   hit:    if (--thread.hits_left < 0) call many_hits; goto done
//   fresh:  cells = new_region(address)
//   take:   check; value = *address; record; if (cells) store keys and value
//   done:   phi(peek, value)
//
// The filter looks before the check, because what it leaves out is no step, and the access itself
// comes after it, because others may run there.
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "instrumenter.h"
#include "runtime/filter.h"
#include "runtime/hooks.h"

namespace foretell::pass {
namespace {

// The cells of one access.
class Cells {
 public:
  Cells(llvm::IRBuilderBase& builder, llvm::Value* cells, llvm::Value* address, uint64_t size)
      : builder_(builder), size_(size) {
    llvm::Value* number = builder.CreatePtrToInt(address, builder.getInt64Ty());
    llvm::Value* block = builder.CreateAnd(number, filter::kRegionMask & ~uint64_t{7});
    block_ = at(cells, builder.CreateShl(block, 1));
    if (size >= 8) return;
    llvm::Value* within = builder.CreateAnd(number, 7);
    key_ = at(block_, builder.CreateAnd(number, 4));
    value_ = at(at(block_, filter::kValueOffset), within);
    if (size < 4)
      bytes_ = builder.CreateShl(builder.getInt32((1u << size) - 1),
                                 builder.CreateTrunc(builder.CreateAnd(number, 3), word()));
  }

  // 0 if all of it was read in this segment, with this value.
  llvm::Value* difference(llvm::Value* seen, llvm::Value* value) {
    if (size_ < 8) {
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
    for (uint64_t i = 0; i < size_ / 8; i++) {
      llvm::Value* keys = builder_.CreateXor(load(wide(), at(block_, 16 * i)), seen);
      llvm::Value* values = builder_.CreateXor(load(wide(), value_at(i)), word_of(value, i));
      all = all ? builder_.CreateOr(all, keys) : keys;
      all = builder_.CreateOr(all, values);
    }
    return all;
  }

  void remember(llvm::Value* seen, llvm::Value* value) {
    if (size_ < 8) {
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
    for (uint64_t i = 0; i < size_ / 8; i++) {
      store(seen, at(block_, 16 * i));
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
  llvm::Value* value_at(uint64_t i) { return at(block_, 16 * i + filter::kValueOffset); }
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
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (size > 8)
    return builder.CreateBitCast(
        value, llvm::FixedVectorType::get(builder.getInt64Ty(), static_cast<unsigned>(size / 8)));
  const auto bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits());
  return builder.CreateZExt(builder.CreateBitCast(value, builder.getIntNTy(bits)),
                            builder.getIntNTy(static_cast<unsigned>(size * 8)));
}

}  // namespace

void Instrumenter::instrument_filtered(llvm::LoadInst& load, uint32_t site) {
  llvm::LLVMContext& context = load.getContext();
  llvm::Function* function = load.getFunction();
  llvm::Value* address = load.getPointerOperand();
  const uint64_t size = load.getDataLayout().getTypeStoreSize(load.getType());
  llvm::BasicBlock* head = load.getParent();
  llvm::BasicBlock* take = head->splitBasicBlock(&load);
  llvm::BasicBlock* done = take->splitBasicBlock(load.getNextNode());
  auto* both = llvm::PHINode::Create(load.getType(), 3, "", done->begin());
  load.replaceAllUsesWith(both);
  const auto block = [&] { return llvm::BasicBlock::Create(context, "", function, take); };
  llvm::BasicBlock *probe = block(), *known = block(), *hit = block();
  llvm::BasicBlock *fresh = block(), *many = block();
  llvm::MDNode* unlikely = llvm::MDBuilder(context).createUnlikelyBranchWeights();
  llvm::IRBuilder<> builder(context);
  const auto begin = [&](llvm::BasicBlock* at) {
    builder.SetInsertPoint(at);
    builder.SetCurrentDebugLocation(load.getDebugLoc());
  };
  auto* pointer = builder.getPtrTy();

  head->getTerminator()->eraseFromParent();
  begin(head);
  llvm::Value* regions =
      builder.CreateLoad(pointer, thread_field(builder, offsetof(ForetellThread, regions)));
  builder.CreateCondBr(builder.CreateIsNull(regions), take, probe);

  begin(probe);
  auto* peek = llvm::cast<llvm::LoadInst>(builder.Insert(load.clone()));
  llvm::Value* region = builder.CreateLShr(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                                           filter::kRegionShift);
  llvm::Value* old_cells =
      builder.CreateLoad(pointer, builder.CreateInBoundsGEP(pointer, regions, region));
  builder.CreateCondBr(builder.CreateIsNull(old_cells), fresh, known, unlikely);

  begin(known);
  const auto seen = [&] {
    return builder.CreateLoad(builder.getInt64Ty(),
                              thread_field(builder, offsetof(ForetellThread, seen)));
  };
  llvm::Value* difference =
      Cells(builder, old_cells, address, size).difference(seen(), words_of(builder, peek, size));
  builder.CreateCondBr(builder.CreateIsNull(difference), hit, take);

  begin(hit);
  llvm::Value* left_at = thread_field(builder, offsetof(ForetellThread, hits_left));
  llvm::Value* left =
      builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), left_at), builder.getInt64(1));
  builder.CreateStore(left, left_at);
  builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt64(0)), many, done, unlikely);
  begin(many);
  builder.CreateCall(hooks_.many_hits);
  builder.CreateBr(done);

  begin(fresh);
  llvm::Value* new_cells = builder.CreateCall(hooks_.new_region, {address});
  builder.CreateBr(take);

  builder.SetInsertPoint(take, take->begin());
  auto* cells = builder.CreatePHI(pointer, 3);
  cells->addIncoming(llvm::ConstantPointerNull::get(pointer), head);
  cells->addIncoming(new_cells, fresh);
  cells->addIncoming(old_cells, known);
  check(load, address);
  builder.SetInsertPoint(load.getNextNode());
  builder.SetCurrentDebugLocation(load.getDebugLoc());
  llvm::Value* value = words_of(builder, &load, size);
  record(builder, header(builder, address, site), size <= 8 ? value : nullptr);
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(cells),
                                                           &*builder.GetInsertPoint(), false);
  begin(end->getParent());
  builder.SetInsertPoint(end);
  Cells(builder, cells, address, size).remember(seen(), value);

  both->addIncoming(peek, hit);
  both->addIncoming(peek, many);
  both->addIncoming(&load, end->getSuccessor(0));
}

}  // namespace foretell::pass
