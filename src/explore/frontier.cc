// SPDX-License-Identifier: Apache-2.0

#include "explore/frontier.h"

#include <algorithm>

namespace foretell::explore {

bool Frontier::add(std::unique_ptr<ExploredRun> run) {
  if (!behaviors_.insert(run->histories().whole()).second) return false;
  const auto number = static_cast<uint32_t>(runs_.size());
  for (const auto& [history, position] : run->histories().all()) {
    runs_with_[history].push_back(number);
  }
  runs_.push_back(std::move(run));
  return true;
}

void Frontier::add(std::vector<Alternative> alternatives) {
  for (Alternative& alternative : alternatives) {
    if (!is_tried(alternative.target)) push(std::move(alternative));
  }
}

void Frontier::push(Alternative alternative) {
  // What returns the same value hardly ever leads anywhere new.
  constexpr uint32_t kLate = 1 << 20;
  tried_.insert(alternative.target.key);
  uint32_t rank = seen_[alternative.sort]++;
  if (alternative.same_value) rank += kLate;
  queue_.emplace(Rank{rank, number_++},
                 Task{std::move(alternative.target), std::move(alternative.schedule)});
}

std::optional<Frontier::Task> Frontier::next() {
  if (queue_.empty()) return {};
  Task task = std::move(queue_.begin()->second);
  queue_.erase(queue_.begin());
  task.run = run_with(task.target);
  return task;
}

// The shortest list of runs is gone through.
ExploredRun* Frontier::run_with(const Target& target) const {
  if (target.ends.empty()) return runs_.empty() ? nullptr : runs_.front().get();
  const std::vector<uint32_t>* shortest = nullptr;
  for (const History end : target.ends) {
    const auto it = runs_with_.find(end);
    if (it == runs_with_.end()) return nullptr;
    if (shortest == nullptr || it->second.size() < shortest->size()) shortest = &it->second;
  }
  for (const uint32_t number : *shortest) {
    if (runs_[number]->contains(target)) return runs_[number].get();
  }
  return nullptr;
}

}  // namespace foretell::explore
