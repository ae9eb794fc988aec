// SPDX-License-Identifier: Apache-2.0

// The sites of a function: the places of its hooks, with the memory that each touches.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "recording/record.h"
#include "selection.h"
#include "site_table.h"

namespace foretell::pass {

// What an instruction touches: where, and how many bytes as far as that is known.
struct Touched {
  llvm::Value* pointer = nullptr;
  uint64_t size = 1;
};
Touched touched(const Hooked& hooked);

// The op of the records that instrumented code stores by itself at this place, if it does.
recording::Op compact_op(const Hooked& hooked, uint64_t size);

struct Sites {
  std::vector<uint32_t> of_hooks;       // one for each hook of its Selection
  std::optional<uint32_t> of_function;  // if entries and exits are recorded
};

// Adds the sites of an untouched function to the table.
Sites add_sites(llvm::Function& function, const Selection& selection, SiteTable& table);

}  // namespace foretell::pass
