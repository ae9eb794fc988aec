// SPDX-License-Identifier: Apache-2.0

#include "selection.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "options.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Memory nobody can write while the program runs, or that belongs to the compiler.
bool is_unshared_memory(const llvm::Value* pointer) {
  if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return true;
  const auto* global = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  if (!global) return false;
  return global->isConstant() || global->getName().starts_with("llvm.") ||
         global->getName().starts_with("__llvm") || global->getName().starts_with("__foretell_") ||
         global->getName().starts_with("__profc_") || global->getName().starts_with("__profd_");
}

// Only functions of the C library that keep no state may go without a call site: of any other we
// cannot know that it does not end in instrumented code.
bool never_reaches_a_hook(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library) {
  if (call.isInlineAsm()) return true;
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return false;
  // Events for properties are steps, which have a place.
  const bool is_event = callee->getName().starts_with("__foretell_event") ||
                        callee->getName() == "__foretell_property_event";
  if (callee->isIntrinsic() || (callee->getName().starts_with("__foretell_") && !is_event)) {
    return true;
  }
  llvm::LibFunc known;
  return callee->isDeclaration() && library.getLibFunc(*callee, known) &&
         (only_sets_errno(call) || (call.doesNotAccessMemory() && call.doesNotThrow()));
}

class Selector {
 public:
  Selector(llvm::Function& function, const llvm::TargetLibraryInfo& library)
      : library_(library), layout_(function.getParent()->getDataLayout()) {
    for (llvm::BasicBlock& block : function) {
      reads_.clear();
      for (llvm::Instruction& instruction : block) visit(instruction);
    }
    limit_filter(function);
  }
  Selection take() { return std::move(selection_); }

 private:
  // A filtered read is about eight blocks, and compiling them takes more than linear time: minutes
  // for the loop of an interpreter. So a function of some size filters only what it reads in loops,
  // and a large one nothing.
  void limit_filter(llvm::Function& function) {
    constexpr ptrdiff_t kFew = 16, kMost = 100;
    if (filtered_reads() <= kFew) return;
    const llvm::DominatorTree tree(function);
    const llvm::LoopInfo loops(tree);
    give_up_filter(
        [&](const llvm::Instruction& read) { return !loops.getLoopFor(read.getParent()); });
    if (filtered_reads() > kMost) give_up_filter([](const llvm::Instruction&) { return true; });
  }

  static bool is_filtered(const Hooked& one) { return one.hook == Hook::filtered; }
  ptrdiff_t filtered_reads() const { return std::ranges::count_if(selection_.hooked, is_filtered); }
  template <class Condition>
  void give_up_filter(Condition condition) {
    for (Hooked& one : selection_.hooked) {
      if (is_filtered(one) && condition(*one.instruction)) {
        one.hook = unfiltered(*one.instruction->getType());
      }
    }
  }

  Hook unfiltered(llvm::Type& read) const {
    return has_recorded_value(&read, layout_) ? Hook::access : Hook::range;
  }

  // What an access at `pointer` is left out for, if anything.
  bool left_out(const llvm::Value* pointer) {
    if (is_unshared_memory(pointer)) return true;
    const auto* slot = dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
    if (!slot) return false;
    auto [at, is_new] = private_.try_emplace(slot, false);
    if (is_new) at->second = is_private(*slot);
    if (at->second) selection_.skipped++;
    return at->second;
  }

  void add(llvm::Instruction& instruction, Hook hook) {
    selection_.hooked.push_back({&instruction, hook});
    if (hook == Hook::call)
      selection_.calls++;
    else if (hook != Hook::branch)
      selection_.accesses++;
    if (hook != Hook::branch) reads_.clear();
  }

  void visit(llvm::Instruction& instruction) {
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return;
      visit_load(*load);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      if (left_out(store->getPointerOperand())) return;
      const llvm::Type* type = store->getValueOperand()->getType();
      add(instruction, store->isAtomic()                   ? Hook::atomic
                       : has_recorded_value(type, layout_) ? Hook::access
                                                           : Hook::range);
    } else if (auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (!left_out(rmw->getPointerOperand())) add(instruction, Hook::atomic);
    } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (!left_out(exchange->getPointerOperand())) add(instruction, Hook::atomic);
    } else if (auto* fence = dyn_cast<llvm::FenceInst>(&instruction)) {
      // A fence against signal handlers orders nothing between threads.
      if (fence->getSyncScopeID() != llvm::SyncScope::SingleThread) add(instruction, Hook::fence);
    } else if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      visit_call(*call);
    } else if (auto* branch = dyn_cast<llvm::BranchInst>(&instruction)) {
      if (branch_hooks && branch->isConditional()) add(instruction, Hook::branch);
    } else if (isa<llvm::SwitchInst>(instruction) && branch_hooks) {
      add(instruction, Hook::branch);
    }
  }

  void visit_load(llvm::LoadInst& load) {
    const llvm::Value* pointer = load.getPointerOperand();
    if (left_out(pointer)) return;
    if (load.isAtomic()) return add(load, Hook::atomic);
    const uint64_t size = layout_.getTypeStoreSize(load.getType());
    if (!keep_repeats && !load.isVolatile() && !reads_.insert({pointer, size}).second) {
      selection_.repeated++;
      return;
    }
    const bool has_value = has_recorded_value(load.getType(), layout_);
    // What is recorded out of line is rare.
    const bool compact = has_value || size == 16 || size == 32;
    // Structures, which are loaded to be returned, are no words, and have holes.
    const bool filtered = !keep_repeats && !load.isVolatile() && compact &&
                          load.getType()->isSingleValueType() &&
                          load.getAlign().value() >= std::min<uint64_t>(size, 8);
    selection_.hooked.push_back({&load, filtered ? Hook::filtered : unfiltered(*load.getType())});
    selection_.accesses++;
  }

  void visit_call(llvm::CallBase& call) {
    if (auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
      const bool writes = !left_out(memory->getRawDest());
      auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(memory);
      const bool reads = transfer && !left_out(transfer->getRawSource());
      if (reads) add(call, Hook::copy_from);
      if (writes) add(call, Hook::copy_to);
      return;
    }
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::masked_scatter:
        return add(call, Hook::masked);
      default:
        break;
    }
    if (call.isInlineAsm() && call.mayWriteToMemory()) reads_.clear();
    if (isa<llvm::CallInst>(call) && call.isInlineAsm()) {
      const llvm::Value* pointer = operand_of(call).pointer;
      if (pointer && !left_out(pointer)) add(call, Hook::assembly);
    }
    if (!never_reaches_a_hook(call, library_)) add(call, Hook::call);
  }

  const llvm::TargetLibraryInfo& library_;
  const llvm::DataLayout& layout_;
  llvm::DenseSet<std::pair<const llvm::Value*, uint64_t>> reads_;  // recorded in this block
  llvm::DenseMap<const llvm::AllocaInst*, bool> private_;
  Selection selection_;
};

}  // namespace

AssemblyOperand operand_of(const llvm::CallBase& assembly) {
  const auto* code = llvm::cast<llvm::InlineAsm>(assembly.getCalledOperand());
  const llvm::StringRef text = code->getAsmString();
  if (text.trim().empty()) return {};
  const auto word = [&](uint64_t size) {
    return llvm::Type::getIntNTy(assembly.getContext(), static_cast<unsigned>(size) * 8);
  };
  const bool locks = text.contains("lock") || text.contains("xchg");
  for (unsigned i = 0; i < assembly.arg_size(); i++) {
    llvm::Value* argument = assembly.getArgOperand(i);
    if (!argument->getType()->isPointerTy()) continue;
    llvm::Type* type = assembly.getParamElementType(i);
    if (!type) continue;
    const uint64_t size = assembly.getDataLayout().getTypeStoreSize(type);
    if (size == 1 || size == 2 || size == 4 || size == 8) return {argument, word(size)};
  }
  for (llvm::Value* argument : assembly.args()) {
    if (locks && argument->getType()->isPointerTy()) return {argument, word(4)};
  }
  return {};
}

bool only_sets_errno(const llvm::CallBase& call) {
  if (!call.onlyWritesMemory() || !call.doesNotThrow() ||
      !call.hasFnAttr(llvm::Attribute::WillReturn))
    return false;
  return llvm::none_of(call.args(),
                       [](const llvm::Use& use) { return use->getType()->isPointerTy(); });
}

bool is_private(const llvm::AllocaInst& slot) {
  llvm::SmallVector<const llvm::Value*, 8> left{&slot};
  while (!left.empty()) {
    for (const llvm::Use& use : left.pop_back_val()->uses()) {
      const auto* user = use.getUser();
      if (isa<llvm::LoadInst>(user) || isa<llvm::ICmpInst>(user)) continue;
      if (isa<llvm::StoreInst>(user) || isa<llvm::AtomicRMWInst>(user) ||
          isa<llvm::AtomicCmpXchgInst>(user)) {
        // Operand 0 of a store is what it stores; of the others the address.
        const unsigned address = isa<llvm::StoreInst>(user) ? 1 : 0;
        if (use.getOperandNo() != address) return false;
        continue;
      }
      if (isa<llvm::GetElementPtrInst>(user) || isa<llvm::BitCastInst>(user) ||
          isa<llvm::AddrSpaceCastInst>(user)) {
        left.push_back(user);
        continue;
      }
      const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(user);
      if (!intrinsic ||
          !(intrinsic->isLifetimeStartOrEnd() || intrinsic->isDroppable() ||
            isa<llvm::AnyMemIntrinsic>(intrinsic) || isa<llvm::DbgInfoIntrinsic>(intrinsic)))
        return false;
    }
  }
  return true;
}

bool has_recorded_value(const llvm::Type* type, const llvm::DataLayout& layout) {
  const auto has_bits = [](const llvm::Type* one) {
    return one->isIntegerTy() || one->isHalfTy() || one->isBFloatTy() || one->isFloatTy() ||
           one->isDoubleTy();
  };
  const auto* vector = dyn_cast<llvm::FixedVectorType>(type);
  if (!has_bits(type) && !type->isPointerTy() && !(vector && has_bits(vector->getElementType())))
    return false;
  const uint64_t size = layout.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue();
  return size == 1 || size == 2 || size == 4 || size == 8;
}

bool is_ignored(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) ||
         function.hasFnAttribute("foretell_ignore") ||
         function.getName().contains("foretell_lockstep_") ||
         function.getName().starts_with("__foretell_");
}

bool is_instrumented(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !is_ignored(function);
}

Selection select(llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  return Selector(function, library).take();
}

}  // namespace foretell::pass
