// SPDX-License-Identifier: Apache-2.0

// The facts while they are written, and where in them the things of LLVM and of the points-to
// analysis are.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <map>
#include <optional>

#include "bitcode/points_to/points_to.h"
#include "bitcode/sharing.h"
#include "program/facts.h"

namespace foretell::bitcode {

struct FactTables {
  program::Facts facts;
  std::map<const llvm::Function*, program::FunctionIndex> functions;
  std::map<ObjectId, program::ObjectIndex> objects;

  program::FunctionIndex index_of(const llvm::Function& function) const {
    return functions.at(&function);
  }
  // A set of targets. All objects must have been added.
  program::MemoryIndex index_of(const Bits& set, const Targets& targets);
  // Where the program says it is: the site if there is one, which is in the user's code.
  program::Position place_of(const llvm::Instruction& instruction,
                             std::optional<program::SiteIndex> site) const;

 private:
  std::optional<program::TargetIndex> index_of(TargetId target, const Targets& targets);

  std::map<TargetId, program::TargetIndex> targets_;
  absl::flat_hash_map<Bits, program::MemoryIndex> memory_;
};

// As the pass writes it into site tables.
std::string path_of(const llvm::DIFile* file);
program::Position position_of(const llvm::Instruction& instruction);
program::Position position_of(const llvm::Function& function);

}  // namespace foretell::bitcode
