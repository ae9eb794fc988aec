// SPDX-License-Identifier: Apache-2.0

// One function for every thread: the code a thread runs is copied for each place that starts one.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace foretell::static_analysis {

void copy_threads(llvm::Module& module, llvm::Function& entry);

// The operands of a call that starts a thread.
struct ThreadStart {
  llvm::Value* handle;
  llvm::Value* function;
  llvm::Value* argument;
  unsigned function_operand;
};
std::optional<ThreadStart> thread_start(const llvm::CallBase& call);

// The handle of a call that waits for the end of a thread, as a value.
llvm::Value* joined_handle(const llvm::CallBase& call);

}  // namespace foretell::static_analysis
