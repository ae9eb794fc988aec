// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/schedule.h"

#include <algorithm>
#include <cstddef>

namespace foretell::symbolic {

std::string_view word_of(NodeKind kind) {
  static constexpr std::string_view kWords[] = {
#define NODE(name, word) word,
#include "symbolic/schedules/node_kinds.def"
  };
  return kWords[static_cast<size_t>(kind)];
}

std::string_view name_of(EndKind kind) {
  switch (kind) {
    case EndKind::exited:
      return "exit";
    case EndKind::deadlock:
      return "deadlock";
    case EndKind::thread_limit:
      return "too many threads";
    case EndKind::failed:
      return "failure";
    case EndKind::marker:
      return "epoch";
  }
  return "";
}

size_t Schedule::node_count() const {
  size_t count = 0;
  for (const auto& thread : threads)
    count += static_cast<size_t>(std::ranges::count_if(
        thread, [](const Node& node) { return node.kind != NodeKind::marker; }));
  return count;
}

bool is_prefix(const Schedule& part, const Schedule& whole) {
  if (part.threads.size() > whole.threads.size()) return false;
  for (size_t t = 0; t < part.threads.size(); t++) {
    size_t count = part.threads[t].size();
    if (count > 0 && part.threads[t].back().kind == NodeKind::process_exit) count--;
    if (count > whole.threads[t].size() ||
        !std::equal(part.threads[t].begin(),
                    part.threads[t].begin() + static_cast<std::ptrdiff_t>(count),
                    whole.threads[t].begin()))
      return false;
  }
  return true;
}

// A vector clock per node: how many nodes of each thread come before it.
void reduce(Schedule& schedule, const std::vector<NodePlace>& order) {
  const size_t width = schedule.threads.size();
  std::vector<std::vector<std::vector<uint32_t>>> clocks(width);
  for (size_t t = 0; t < width; t++) clocks[t].resize(schedule.threads[t].size());
  for (const NodePlace& place : order) {
    Node& node = schedule.threads[place.thread][place.index];
    std::vector<uint32_t> clock =
        place.index > 0 ? clocks[place.thread][place.index - 1] : std::vector<uint32_t>(width);
    std::ranges::sort(node.after);
    const auto known = [&](const NodePlace& before, const std::vector<uint32_t>& by) {
      return by[before.thread] > before.index;
    };
    std::vector<NodePlace> kept;
    for (const NodePlace& before : node.after) {
      bool implied = before.thread == place.thread || known(before, clock);
      for (const NodePlace& other : node.after)
        if (other != before && known(before, clocks[other.thread][other.index])) implied = true;
      if (!implied) kept.push_back(before);
    }
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    node.after = kept;
    for (const NodePlace& before : kept) {
      const auto& theirs = clocks[before.thread][before.index];
      for (size_t t = 0; t < width; t++) clock[t] = std::max(clock[t], theirs[t]);
    }
    clock[place.thread] = place.index + 1;
    clocks[place.thread][place.index] = std::move(clock);
  }
}

}  // namespace foretell::symbolic
