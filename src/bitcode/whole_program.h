// SPDX-License-Identifier: Apache-2.0

// The bitcode of a linked program as one LLVM module, with the site numbers of the program.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "bitcode/kept_modules.h"
#include "program/facts.h"
#include "recording/kept_bitcode.h"

namespace foretell::bitcode {

struct InstructionSite {
  recording::SiteRole role;
  program::SiteIndex site;
};

struct WholeProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<program::Module> modules;
  std::vector<program::Site> sites;
  std::vector<std::string> symbols;  // defined in the bitcode, local ones too; sorted
};

// Links the modules in their order, which is that of the linker: of functions that several of them
// define, the first is taken. `where` is what messages call the file.
Result<WholeProgram> link_modules(std::span<const KeptModule> kept, const std::string& where);

// The sites of an instruction; none if it records nothing.
std::vector<InstructionSite> sites_of(const llvm::Instruction& instruction);
// Its site for one role.
std::optional<program::SiteIndex> site_of(const llvm::Instruction& instruction,
                                          recording::SiteRole role);
std::optional<program::SiteIndex> site_of(const llvm::Function& function);
std::optional<program::GlobalRow> row_of(const llvm::GlobalVariable& global);

}  // namespace foretell::bitcode
