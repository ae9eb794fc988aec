// SPDX-License-Identifier: Apache-2.0

// What synchronization carries from one epoch to the next.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/models/synchronization.h"

namespace foretell::symbolic {

void Synchronization::begin_epoch() {
  for (auto& nodes : nodes_) nodes.clear();
  order_.clear();
  std::ranges::fill(created_at_, std::nullopt);
  std::ranges::fill(exits_, std::nullopt);
  for (auto& [key, lock] : locks_) {
    lock.last_write.reset();
    lock.reads.clear();
  }
  std::erase_if(locks_,
                [](const auto& row) { return !row.second.owner && row.second.readers.empty(); });
  for (auto& [key, condition] : conditions_) {
    condition.last.reset();
    for (auto& [thread, place] : condition.woken_by) place.reset();
  }
  std::erase_if(conditions_, [](const auto& row) {
    return row.second.waiting.empty() && row.second.woken.empty();
  });
  for (auto& [key, barrier] : barriers_) {
    size_t oldest = barrier.generations.size();
    for (const auto& [thread, generation] : barrier.waits_for)
      oldest = std::min(oldest, generation);
    barrier.generations.erase(barrier.generations.begin(),
                              barrier.generations.begin() + static_cast<ptrdiff_t>(oldest));
    for (auto& [thread, generation] : barrier.waits_for) generation -= oldest;
    for (auto& generation : barrier.generations)
      for (NodePlace& place : generation.arrived) place.index = kEarlier;
    for (NodePlace& place : barrier.arrived) place.index = kEarlier;
  }
  for (auto& [key, semaphore] : semaphores_) semaphore.last.reset();
}

namespace {

std::string joined(const std::vector<uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

}  // namespace

std::string Synchronization::state_text(
    const std::function<std::string(ObjectNumber)>& name) const {
  std::vector<std::string> rows;
  const auto add = [&](const Key& key, const std::string& text) {
    rows.push_back(fmt::format("{}+{} {}", name(key.first), key.second, text));
  };
  for (const auto& [key, lock] : locks_)
    add(key, fmt::format("held by {} readers {}", lock.owner ? static_cast<int>(*lock.owner) : -1,
                         joined(lock.readers)));
  for (const auto& [key, condition] : conditions_)
    add(key,
        fmt::format("waiting {} woken {}", joined(condition.waiting), joined(condition.woken)));
  for (const auto& [key, barrier] : barriers_) {
    std::string text = fmt::format("barrier of {}", barrier.count);
    for (const NodePlace& place : barrier.arrived) text += fmt::format(" {}", place.thread);
    for (const auto& [thread, generation] : barrier.waits_for)
      text += fmt::format(" {}:{}", thread, generation);
    for (const auto& generation : barrier.generations)
      text += fmt::format(" last {}", generation.last_arriver);
    add(key, text);
  }
  for (const auto& [key, semaphore] : semaphores_)
    add(key, fmt::format("semaphore {}", semaphore.value));
  std::ranges::sort(rows);
  return fmt::format("{}", fmt::join(rows, "\n"));
}

bool Synchronization::rename(
    const std::function<std::optional<ObjectNumber>(ObjectNumber)>& renamed) {
  bool all_known = true;
  const auto rename_all = [&](auto& rows) {
    std::remove_reference_t<decltype(rows)> to;
    for (auto& [key, row] : rows) {
      const auto object = renamed(key.first);
      all_known &= object.has_value();
      if (object) to[{*object, key.second}] = std::move(row);
    }
    rows = std::move(to);
  };
  rename_all(locks_);
  rename_all(conditions_);
  rename_all(barriers_);
  rename_all(semaphores_);
  return all_known;
}

}  // namespace foretell::symbolic
