// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/conflicts.h"

#include <llvm/IR/Constants.h>

#include <algorithm>

#include "static_analysis/interpreter/interpreter.h"
#include "static_analysis/races/indices.h"
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
  // Who draws which number depends on the schedule; that is a conflict on the counter.
  const Indices indices(rules);
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
            ownership.keeps_apart(a, b, object) || indices.keep_apart(a, b))
          continue;
        conflicts.push_back({indexes[i], indexes[j], object, where->first});
      }
  return conflicts;
}

namespace {

bool has_index(const Access& access) {
  return access.pointer &&
         !address_of(*access.pointer, access.instruction->getDataLayout()).terms.empty();
}

}  // namespace

std::vector<Conflict> without_apart(std::vector<Conflict> conflicts, const PairRules& rules) {
  const bool has_any = std::ranges::any_of(conflicts, [&](const Conflict& conflict) {
    return has_index(rules.accesses[conflict.first]) || has_index(rules.accesses[conflict.second]);
  });
  if (!has_any) return conflicts;
  const interpreter::Places places(rules);
  const interpreter::Interpreter<memory::ThreadValues<interpreter::Value>> values(rules, places);
  if (values.gave_up()) return conflicts;
  // From the beginning of the object, if there is one such object in a run.
  const auto bytes_of =
      [&](const Access& access,
          bitcode::ObjectId object) -> std::optional<std::pair<int64_t, int64_t>> {
    if (!access.pointer || access.pointer != llvm::getLoadStorePointerOperand(access.instruction))
      return {};
    const Address address = address_of(*access.pointer, access.instruction->getDataLayout());
    const auto base = rules.objects.single_target(*address.base);
    const auto span = values.span_of(*access.instruction, access.thread);
    if (!base || base->object != object || !span) return {};
    return std::pair{base->offset + span->low, base->offset + span->high};
  };
  std::erase_if(conflicts, [&](const Conflict& conflict) {
    const auto a = bytes_of(rules.accesses[conflict.first], conflict.object);
    const auto b = bytes_of(rules.accesses[conflict.second], conflict.object);
    return a && b && (a->second <= b->first || b->second <= a->first);
  });
  return conflicts;
}

}  // namespace foretell::static_analysis
