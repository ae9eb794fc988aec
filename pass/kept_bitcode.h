// SPDX-License-Identifier: Apache-2.0

// Keeps the bitcode of a module in the object file it becomes.
//
// What is kept is the module as the instrumenter finds it: optimized, without hooks, each hooked
// instruction and each global of the site table with its number as metadata
// (recording/kept_bitcode.h). It lies in a section that is not loaded. Linkers concatenate the
// sections of all objects, so a program carries the bitcode of every source it was made from.
//
// The section is written as assembly of the module: a global variable would be loaded with the
// program unless its section had one of a few names that belong to LLVM. Inline assembly also
// passes through -S, -r, archives and both kinds of LTO.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

#include "instrumenter.h"
#include "selection.h"
#include "site_table.h"

namespace foretell::pass {

// A function, what is hooked in it, and the sites of that.
struct PlannedFunction {
  llvm::Function* function;
  Selection selection;
  Sites sites;
};

// Appends the section to the module. Before any function is instrumented; leaves no metadata.
void keep_bitcode(llvm::Module& module, llvm::ArrayRef<PlannedFunction> functions,
                  SiteTable& table);

}  // namespace foretell::pass
