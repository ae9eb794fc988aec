// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/constants.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "static_analysis/preparation/slots.h"

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

struct Uses {
  std::vector<llvm::LoadInst*> loads;
  std::vector<llvm::StoreInst*> stores;
  bool others = false;
};

void collect(llvm::Value& pointer, Uses& uses) {
  for (llvm::User* user : pointer.users()) {
    if (auto* load = dyn_cast<llvm::LoadInst>(user)) {
      uses.loads.push_back(load);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(user);
               store && store->getValueOperand() != &pointer) {
      uses.stores.push_back(store);
    } else if (llvm::isa<llvm::GEPOperator>(user) || llvm::isa<llvm::BitCastOperator>(user)) {
      collect(*user, uses);
    } else {
      uses.others = true;
    }
  }
}

bool may_repeat(const llvm::Instruction& instruction) {
  const llvm::BasicBlock* block = instruction.getParent();
  for (const llvm::BasicBlock* next : llvm::successors(block))
    if (llvm::isPotentiallyReachable(next, block)) return true;
  return false;
}

bool fold_initial(llvm::GlobalVariable& global, Uses& uses) {
  bool changed = false;
  for (llvm::LoadInst* load : uses.loads) {
    if (load->use_empty()) continue;
    auto* address = dyn_cast<llvm::Constant>(load->getPointerOperand());
    if (!address) continue;
    llvm::Constant* value =
        llvm::ConstantFoldLoadFromConstPtr(address, load->getType(), global.getDataLayout());
    if (!value || llvm::isa<llvm::UndefValue>(value)) continue;
    load->replaceAllUsesWith(value);
    changed = true;
  }
  return changed;
}

// The entry function is executed once.
bool fold_single_store(llvm::GlobalVariable& global, const Uses& uses) {
  llvm::StoreInst* store = uses.stores.front();
  llvm::Function* function = store->getFunction();
  if (function->getName() != "main" || function->hasAddressTaken() ||
      store->getPointerOperand() != &global || may_repeat(*store))
    return false;
  for (const llvm::User* user : function->users())
    if (llvm::isa<llvm::CallBase>(user)) return false;
  const llvm::DominatorTree dominators(*function);
  bool changed = false;
  for (llvm::LoadInst* load : uses.loads) {
    const bool follows = load->getFunction() == function && dominators.dominates(store, load);
    if (load->use_empty() || load->getPointerOperand() != &global ||
        load->getType() != store->getValueOperand()->getType() || !follows)
      continue;
    load->replaceAllUsesWith(store->getValueOperand());
    changed = true;
  }
  return changed;
}

}  // namespace

void fold_constant_globals(llvm::Module& module) {
  bool changed = false;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (!global.hasLocalLinkage() || !global.hasDefinitiveInitializer()) continue;
    Uses uses;
    collect(global, uses);
    if (uses.others || uses.loads.empty()) continue;
    if (uses.stores.empty()) {
      global.setConstant(true);
      changed |= fold_initial(global, uses);
    } else if (uses.stores.size() == 1) {
      changed |= fold_single_store(global, uses);
    }
  }
  if (!changed) return;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) fold_registers(function);
}

}  // namespace foretell::static_analysis
