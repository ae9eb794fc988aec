// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/conflicts.h"

#include <llvm/IR/Constants.h>

#include "static_analysis/races/ownership.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

bool write_the_same(const Access& a, const Access& b, bitcode::ObjectId object) {
  const auto* one = dyn_cast<llvm::StoreInst>(a.instruction);
  const auto* other = dyn_cast<llvm::StoreInst>(b.instruction);
  if (!one || !other) return false;
  const auto* value = dyn_cast<llvm::Constant>(one->getValueOperand());
  if (!value || value != other->getValueOperand() || llvm::isa<llvm::UndefValue>(value))
    return false;
  // Never half of one and half of the other.
  for (const bitcode::Target& x : a.targets)
    for (const bitcode::Target& y : b.targets)
      if (x.object == object && y.object == object &&
          overlap(Access{.extent = a.extent, .targets = {x}},
                  Access{.extent = b.extent, .targets = {y}}, object) &&
          (x.offset != y.offset || x.stride != y.stride || (x.stride != 0 && x.stride < *a.extent)))
        return false;
  return true;
}

std::vector<Conflict> find_conflicts(const PairRules& rules) {
  std::vector<Conflict> conflicts;
  const Ownership ownership(rules);
  for (const auto& [object, indexes] : rules.accesses.by_object())
    for (size_t i = 0; i < indexes.size(); i++)
      for (size_t j = i; j < indexes.size(); j++) {
        const Access& a = rules.accesses[indexes[i]];
        const Access& b = rules.accesses[indexes[j]];
        if (a.mode == AccessMode::read && b.mode == AccessMode::read) continue;
        if (a.thread == b.thread && rules.threads[a.thread].once) continue;
        const auto where = overlap(a, b, object);
        if (!where ||
            !rules.running.in_parallel(*a.instruction, a.thread, *b.instruction, b.thread) ||
            ownership.keeps_apart(a, b, object))
          continue;
        conflicts.push_back({indexes[i], indexes[j], object, where->first});
      }
  return conflicts;
}

}  // namespace foretell::static_analysis
