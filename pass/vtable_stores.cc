// SPDX-License-Identifier: Apache-2.0

#include "vtable_stores.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace foretell::pass {
namespace {

bool is_destructor(llvm::StringRef name) {
  return name.starts_with("_ZN") &&
         (name.ends_with("D0Ev") || name.ends_with("D1Ev") || name.ends_with("D2Ev"));
}

// Of the functions that were inlined, the one whose code it is.
llvm::StringRef function_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc();
  const llvm::DISubprogram* inlined = place ? place->getScope()->getSubprogram() : nullptr;
  if (inlined && !inlined->getLinkageName().empty()) return inlined->getLinkageName();
  return instruction.getFunction()->getName();
}

bool stores_vtable(const llvm::StoreInst& store) {
  const auto* table =
      llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(store.getValueOperand()));
  return table && (table->getName().starts_with("_ZTV") || table->getName().starts_with("_ZTC"));
}

}  // namespace

void make_vtable_stores_conditional(const Selection& selection) {
  for (const Hooked& hooked : selection.hooked) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(hooked.instruction);
    if (hooked.hook != Hook::access || !store || !stores_vtable(*store)) continue;
    if (!is_destructor(function_of(*store))) continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value* before =
        builder.CreateAlignedLoad(store->getValueOperand()->getType(), store->getPointerOperand(),
                                  store->getAlign(), /*isVolatile=*/true);
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(
        builder.CreateICmpNE(before, store->getValueOperand()), store, false);
    store->moveBefore(then);
  }
}

}  // namespace foretell::pass
