// SPDX-License-Identifier: Apache-2.0

// Brings a linked program into the shape in which proofs are short.
//
// Unoptimized bitcode is rewritten so that one function is all that a thread does: slots become
// registers, calls are inlined, every pthread_create gets a copy of its thread's function, and loops
// that start or join a known number of threads are unrolled. What a thread does is then a single
// control-flow graph, and rules about paths, values and locks need no contexts.
//
// No access to memory is removed or reordered: all plain accesses are marked volatile first. Blocks
// that no input reaches may go.
#pragma once

#include <llvm/IR/Module.h>

namespace foretell::static_analysis {

// `entry` is the function the program begins with.
void prepare(llvm::Module& module, llvm::Function& entry);

// The functions that mark a section no other section of this kind overlaps (the verifiers'
// convention); functions whose names begin with this prefix are such sections as a whole.
inline constexpr char kAtomicBegin[] = "__VERIFIER_atomic_begin";
inline constexpr char kAtomicEnd[] = "__VERIFIER_atomic_end";
inline constexpr char kAtomicPrefix[] = "__VERIFIER_atomic_";
// What uninitialized variables hold: anything, and not the same twice.
inline constexpr char kAnyValue[] = "foretell.any.";

}  // namespace foretell::static_analysis
