// SPDX-License-Identifier: Apache-2.0

// The program to check, as one module.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

#include "static_analysis/check.h"

namespace foretell::static_analysis {

struct Subject {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* entry = nullptr;
  // The bitcode that `foretell cc` kept is optimized, and optimizers remove accesses.
  bool is_optimized = false;
};

Result<Subject> load_subject(const std::vector<BitcodeFile>& files, const std::string& entry);

// Where an instruction stands in the source.
Place place_of(const llvm::Instruction& instruction);

}  // namespace foretell::static_analysis
