// SPDX-License-Identifier: Apache-2.0

// The second body of a function, which watches (recording/watching.h), and what the two share.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "instrumenter.h"

namespace foretell::pass {

// Whether the body that watches checks the shadow there by itself.
bool is_checked_inline(const Hooked& hooked);

// The function now calls the runtime: what the optimizer concluded from the original body no longer
// holds, for it and for its calls.
void forget_purity(llvm::Function& function);

// Whether there is anything to watch in the function, and it can be copied.
bool has_two_bodies(const llvm::Function& function, const Selection& selection, const Sites& sites);

// Beside the function, with the same arguments; `copies` says what became of its instructions.
llvm::Function* copy_of(llvm::Function& function, llvm::ValueToValueMapTy& copies);

}  // namespace foretell::pass
