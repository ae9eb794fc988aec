// SPDX-License-Identifier: Apache-2.0

#include "bitcode/fact_tables.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace foretell::bitcode {

using program::MemoryIndex;
using program::Position;
using program::Sharing;

// As the pass writes it into site tables.
std::string path_of(const llvm::DIFile* file) {
  if (!file) return "";
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

Position position_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location) return {};
  return {path_of(location->getFile()), location->getLine(), location->getColumn()};
}

Position position_of(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return {};
  return {path_of(subprogram->getFile()), subprogram->getLine(), 0};
}

// Nothing for what is no object of the program: functions, constants, the unknown.
std::optional<program::TargetIndex> FactTables::index_of(TargetId target, const Targets& targets) {
  const Target& at = targets[target];
  const auto object = objects.find(at.object);
  if (object == objects.end()) return {};
  const auto [row, is_new] =
      targets_.try_emplace(target, static_cast<program::TargetIndex>(facts.targets.size()));
  if (is_new) facts.targets.push_back({object->second, at.offset, at.stride});
  return row->second;
}

MemoryIndex FactTables::index_of(const Bits& set, const Targets& targets) {
  const auto [at, is_new] = memory_.try_emplace(set, static_cast<MemoryIndex>(facts.memory.size()));
  if (!is_new) return at->second;
  program::Memory memory{.reaches_unknown = set.contains(number(kUnknownTarget))};
  bool is_shared = memory.reaches_unknown, is_initial = true;
  set.for_each([&](uint32_t target) {
    const auto index = index_of(TargetId{target}, targets);
    if (!index) return;
    memory.targets.push_back(*index);
    const Sharing sharing =
        facts.objects[program::place(facts.targets[program::place(*index)].object)].sharing;
    is_shared |= sharing == Sharing::shared;
    is_initial &= sharing == Sharing::initial_thread;
  });
  std::ranges::sort(memory.targets);
  // Of a pointer to nothing nobody knows where it comes from.
  memory.sharing = is_shared || memory.targets.empty() ? Sharing::shared
                   : is_initial                        ? Sharing::initial_thread
                                                       : Sharing::confined;
  facts.memory.push_back(std::move(memory));
  return at->second;
}

Position FactTables::place_of(const llvm::Instruction& instruction,
                              std::optional<program::SiteIndex> site) const {
  // Assembly of LLVM may name sites without having a table of them.
  const bool is_known = site && program::place(*site) < facts.sites.size();
  return is_known ? facts.sites[program::place(*site)].position : position_of(instruction);
}

}  // namespace foretell::bitcode
