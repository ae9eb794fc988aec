// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/prepare.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "static_analysis/preparation/constants.h"
#include "static_analysis/preparation/inlining.h"
#include "static_analysis/preparation/slots.h"
#include "static_analysis/preparation/thread_copies.h"
#include "static_analysis/preparation/ways.h"

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

// C99's inline functions have a body here and a promise of another one; the body is it.
void own_all_functions(llvm::Module& module, const llvm::Function& entry) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || &function == &entry) continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.isDeclaration() || global.getName().starts_with("llvm.")) continue;
    global.setComdat(nullptr);
    global.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

bool never_returns(llvm::StringRef name) {
  return name == "abort" || name == "exit" || name == "_exit" || name == "_Exit" ||
         name == "quick_exit" || name == "__assert_fail" || name == "__assert_perror_fail" ||
         name == "pthread_exit" || name == "thrd_exit" || name == "__assert";
}

void end_after_exits(llvm::Function& function) {
  std::vector<llvm::CallInst*> ends;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = dyn_cast<llvm::CallInst>(&instruction))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee && callee->isDeclaration() && never_returns(callee->getName()))
        ends.push_back(call);
  for (llvm::CallInst* call : ends)
    if (!llvm::isa<llvm::UnreachableInst>(call->getNextNode()))
      llvm::changeToUnreachable(call->getNextNode());
}

// __VERIFIER_assume(condition): executions in which it is false do not count.
void branch_on_assumptions(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = dyn_cast<llvm::CallInst>(&instruction))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee && callee->isDeclaration() && callee->getName() == "__VERIFIER_assume" &&
          call->arg_size() == 1 && call->getArgOperand(0)->getType()->isIntegerTy())
        calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    llvm::Value* condition = call->getArgOperand(0);
    auto* fails = new llvm::ICmpInst(call->getIterator(), llvm::CmpInst::ICMP_EQ, condition,
                                     llvm::ConstantInt::get(condition->getType(), 0));
    fails->setDebugLoc(call->getDebugLoc());
    llvm::SplitBlockAndInsertIfThen(fails, call->getIterator(), /*Unreachable=*/true);
    call->eraseFromParent();
  }
}

// `void f();` says nothing of parameters: the declaration gets the type of its calls, so that a call is
// seen to be one of that function.
void settle_declarations(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.isIntrinsic() || !function.isVarArg() ||
        function.arg_size() != 0)
      continue;
    const llvm::CallBase* first = nullptr;
    for (const llvm::User* user : function.users())
      if (const auto* call = dyn_cast<llvm::CallBase>(user);
          call && call->getCalledOperand() == &function && !first)
        first = call;
    if (!first || first->getFunctionType() == function.getFunctionType()) continue;
    llvm::Function* settled =
        llvm::Function::Create(first->getFunctionType(), function.getLinkage(), "", module);
    settled->takeName(&function);
    function.replaceAllUsesWith(settled);
    function.eraseFromParent();
  }
}

void mark_atomic_functions(llvm::Module& module) {
  auto* nothing = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.getName().starts_with(kAtomicPrefix) ||
        function.getName() == kAtomicBegin || function.getName() == kAtomicEnd)
      continue;
    auto* begin =
        llvm::cast<llvm::Function>(module.getOrInsertFunction(kAtomicBegin, nothing).getCallee());
    auto* end =
        llvm::cast<llvm::Function>(module.getOrInsertFunction(kAtomicEnd, nothing).getCallee());
    llvm::CallInst::Create(begin, "", function.getEntryBlock().getFirstInsertionPt());
    for (llvm::BasicBlock& block : function)
      if (auto* result = dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        llvm::CallInst::Create(end, "", result->getIterator());
  }
  // Verifiers sometimes give them bodies.
  for (const char* name : {kAtomicBegin, kAtomicEnd})
    if (llvm::Function* function = module.getFunction(name); function && !function->isDeclaration())
      function->deleteBody();
}

// `container_of` computes with addresses of fields at null: they are numbers.
void fold_constant_operands(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(function))
    for (llvm::Use& operand : instruction.operands())
      if (auto* expression = dyn_cast<llvm::ConstantExpr>(operand.get()))
        if (llvm::Constant* folded = llvm::ConstantFoldConstant(expression, layout);
            folded && folded != expression && !llvm::isa<llvm::PHINode>(instruction))
          operand.set(folded);
}

// So that nothing below takes an unused load for a useless one.
void keep_accesses(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction); load && !load->isAtomic())
      load->setVolatile(true);
    if (auto* store = dyn_cast<llvm::StoreInst>(&instruction); store && !store->isAtomic())
      store->setVolatile(true);
    if (auto* copy = dyn_cast<llvm::MemIntrinsic>(&instruction))
      copy->setVolatile(llvm::ConstantInt::getTrue(copy->getContext()));
  }
}

// What was copied wherever it is used is not part of the program anymore.
void drop_unused(llvm::Module& module, const llvm::Function& entry) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function& function : llvm::make_early_inc_range(module)) {
      function.removeDeadConstantUsers();
      if (&function == &entry || function.isDeclaration() || !function.use_empty()) continue;
      function.eraseFromParent();
      changed = true;
    }
  }
}

}  // namespace

void prepare(llvm::Module& module, llvm::Function& entry) {
  settle_declarations(module);
  own_all_functions(module, entry);
  mark_atomic_functions(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    end_after_exits(function);
    branch_on_assumptions(function);
    fold_constant_operands(function);
    keep_accesses(function);
    promote_all_slots(function);
  }
  // Every direct call below the entry is inlined, as far as the program allows.
  flatten(module, entry);
  fold_constant_globals(module);
  copy_threads(module, entry);
  drop_unused(module, entry);
  fold_constant_globals(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    fold_registers(function);
    separate_ways(function);
    fold_registers(function);
    share_expressions(function);
  }
}

}  // namespace foretell::static_analysis
