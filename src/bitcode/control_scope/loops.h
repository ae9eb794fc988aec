// SPDX-License-Identifier: Apache-2.0

// Which loops end for certain.
//
// A loop ends if LLVM's scalar evolution bounds how often its header is reached again. LLVM may
// assume that a loop without side effects ends (`mustprogress`) and that sums do not wrap (nsw,
// nuw); a real run does not know of that, so both are removed first. A loop also ends if the program
// says so (FORETELL_LOOP_TERMINATES of foretell.h).
//
// A bound is on the rounds of the loop itself: loops and calls inside may still not end.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace foretell::bitcode {

// Removes what LLVM concludes from undefined behavior. Nothing that the program does changes.
void forget_undefined_behavior(llvm::Module& module);

// The blocks of each loop that ends, by its header.
using EndingLoops =
    llvm::DenseMap<const llvm::BasicBlock*, llvm::DenseSet<const llvm::BasicBlock*>>;

EndingLoops ending_loops(llvm::Function& function);

}  // namespace foretell::bitcode
