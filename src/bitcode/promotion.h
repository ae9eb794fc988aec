// SPDX-License-Identifier: Apache-2.0

// Makes registers of stack slots that are only loaded and stored, as the optimizer does. Without
// optimization every variable is a slot, and the analyses would have to look through memory for
// what is plain in registers. The recorder ignores such slots, so no site is lost.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace foretell::bitcode {

struct PromotedSlot {
  const llvm::Function* function;
  std::string name;  // of the variable
};

std::vector<PromotedSlot> promote_slots(llvm::Module& module);

// The variable that lives in a stack slot; empty if it is a temporary.
std::string name_of(const llvm::AllocaInst& slot);

}  // namespace foretell::bitcode
