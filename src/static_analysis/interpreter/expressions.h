// SPDX-License-Identifier: Apache-2.0

// What instructions without memory compute, and what branches say about registers.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <functional>
#include <map>

#include "static_analysis/interpreter/value.h"

namespace foretell::static_analysis::interpreter {

using Lookup = std::function<Value(const llvm::Value&)>;

// Anything for what is not followed.
Value computed(const llvm::Instruction& instruction, const Lookup& value_of);

// Sharpens the registers that the condition is about, if control goes from one block to the other.
// Returns whether it can.
bool refine_along(const llvm::BasicBlock& from, const llvm::BasicBlock& to, const Lookup& value_of,
                  std::map<const llvm::Value*, Value>& refined);

// The operation of an update with two operands, if it is one that is followed.
std::optional<domain::Operation> operation_of(llvm::AtomicRMWInst::BinOp operation);

}  // namespace foretell::static_analysis::interpreter
