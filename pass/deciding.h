// SPDX-License-Identifier: Apache-2.0

// Which accesses decide what their thread does next.
//
// A read decides if its value may reach a branch, an address, a call, a result, or an operand of
// synchronization: another value could have led the thread elsewhere, so in every reordering the
// read returns what it returned. `if (++arrived == n)` reads so, `sum = sum + 1` does not. A read of
// a pointer decides: whoever copies it means to follow it. A write decides if the function reads the
// same pointer so, or if it writes a pointer.
//
// Values are followed backward from where they decide, through registers and stack slots that
// nobody else can reach; through other memory they are not, because each read of it has an answer
// of its own.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

namespace foretell::pass {

llvm::SmallPtrSet<const llvm::Instruction*, 16> deciding_accesses(llvm::Function& function);

}  // namespace foretell::pass
