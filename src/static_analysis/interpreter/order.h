// SPDX-License-Identifier: Apache-2.0

// A weak topological order of the blocks of a function: Bourdoncle, "Efficient chaotic iteration
// strategies with widenings", 1993. Every cycle goes through the head of a component, where widening
// makes iteration end; the components are nested as loops are.
#pragma once

#include <llvm/IR/Function.h>

#include <memory>
#include <vector>

namespace foretell::static_analysis::interpreter {

struct Component {
  const llvm::BasicBlock* head = nullptr;
  bool is_cycle = false;
  std::vector<Component> body;  // of a cycle, without the head
};

std::vector<Component> weak_topological_order(const llvm::Function& function);

}  // namespace foretell::static_analysis::interpreter
