// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/races/pairs.h"

#include <algorithm>

#include "static_analysis/races/indices.h"
#include "static_analysis/races/join_counters.h"
#include "static_analysis/races/ownership.h"

namespace foretell::static_analysis {
namespace {

using bitcode::ObjectId;
using bitcode::Target;

bool excludes(LockMode a, LockMode b) {
  return a == LockMode::exclusive || b == LockMode::exclusive;
}

bool have_common_place(const LockSet& a, const LockSet& b) {
  for (const HeldLock& one : a) {
    if (one.kind == HeldLock::Kind::address) continue;
    for (const HeldLock& other : b)
      if (one.kind == other.kind && one.object == other.object && one.offset == other.offset &&
          excludes(one.mode, other.mode))
        return true;
  }
  return false;
}

// How the address of a lock follows from the address of what it protects.
struct Relation {
  bool indexed = false;
  int64_t distance = 0;     // from the data to the lock, with one base
  ObjectId data{}, lock{};  // of two arrays with one index
  int64_t data_factor = 0, lock_factor = 0, data_offset = 0, lock_offset = 0;
  bool operator==(const Relation&) const = default;
};

std::optional<Relation> relation(const Address& data, const Address& lock, const Objects& objects) {
  if (data.base == lock.base && data.terms == lock.terms)
    return Relation{.distance = lock.constant - data.constant};
  if (data.terms.size() != 1 || lock.terms.size() != 1 ||
      data.terms.front().first != lock.terms.front().first || data.terms.front().second == 0)
    return {};
  const auto data_base = objects.single_target(*data.base);
  const auto lock_base = objects.single_target(*lock.base);
  if (!data_base || !lock_base) return {};
  return Relation{.indexed = true,
                  .data = data_base->object,
                  .lock = lock_base->object,
                  .data_factor = data.terms.front().second,
                  .lock_factor = lock.terms.front().second,
                  .data_offset = data.constant + data_base->offset,
                  .lock_offset = lock.constant + lock_base->offset};
}

// If the two touch the same bytes, they hold the same lock.
bool have_common_address(const Access& a, const Access& b, ObjectId object,
                         const PairRules& rules) {
  if (!a.pointer || !b.pointer || a.extent != b.extent) return false;
  // Never half of one and half of the other.
  for (const Target& one : a.targets)
    for (const Target& other : b.targets)
      if (one.object == object && other.object == object &&
          overlap(Access{.extent = a.extent, .targets = {one}},
                  Access{.extent = b.extent, .targets = {other}}, object) &&
          (one.stride == 1 || other.stride == 1 || one.stride != other.stride ||
           one.offset != other.offset))
        return false;
  const llvm::DataLayout& layout = a.instruction->getDataLayout();
  const Address at_a = address_of(*a.pointer, layout), at_b = address_of(*b.pointer, layout);
  for (const HeldLock& one : rules.locks.at(*a.instruction)) {
    if (one.kind != HeldLock::Kind::address) continue;
    const auto of_a = relation(at_a, one.address, rules.objects);
    if (!of_a) continue;
    for (const HeldLock& other : rules.locks.at(*b.instruction)) {
      if (other.kind != HeldLock::Kind::address || !excludes(one.mode, other.mode)) continue;
      const auto of_b = relation(at_b, other.address, rules.objects);
      if (of_b && *of_a == *of_b) return true;
    }
  }
  return false;
}

}  // namespace

bool are_locked(const Access& a, const Access& b, ObjectId object, const PairRules& rules) {
  return have_common_place(rules.locks.at(*a.instruction), rules.locks.at(*b.instruction)) ||
         have_common_address(a, b, object, rules);
}

std::vector<RacePair> find_pairs(const PairRules& rules, PairCounts& counts) {
  std::vector<RacePair> pairs;
  std::set<std::pair<AccessIndex, AccessIndex>> seen;
  const Ownership ownership(rules);
  const Indices indices(rules);
  const JoinCounters counters(rules);
  for (const auto& [object, indexes] : rules.accesses.by_object())
    for (size_t i = 0; i < indexes.size(); i++)
      for (size_t j = i; j < indexes.size(); j++) {
        const Access& a = rules.accesses[indexes[i]];
        const Access& b = rules.accesses[indexes[j]];
        if (a.mode == AccessMode::read && b.mode == AccessMode::read) continue;
        if (a.is_atomic && b.is_atomic) continue;
        if (a.thread == b.thread && rules.threads[a.thread].once) continue;
        const auto where = overlap(a, b, object);
        if (!where) continue;
        counts.considered++;
        if (!rules.running.in_parallel(*a.instruction, a.thread, *b.instruction, b.thread) ||
            counters.order(a, b)) {
          counts.ordered++;
          continue;
        }
        if (are_locked(a, b, object, rules)) {
          counts.locked++;
          continue;
        }
        if (ownership.keeps_apart(a, b, object) || indices.keep_apart(a, b)) {
          counts.owned++;
          continue;
        }
        if (seen.insert({indexes[i], indexes[j]}).second)
          pairs.push_back({indexes[i], indexes[j], where->first});
      }
  return pairs;
}

}  // namespace foretell::static_analysis
