// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/extra_edges.h"

#include <algorithm>

namespace foretell::analysis {

void ExtraEdges::add(ThreadId thread, clocks::Time opened, const clocks::VectorClock& released,
                     clocks::Time now) {
  if (to_index(thread) >= row_of_.size()) row_of_.resize(to_index(thread) + 1);
  uint32_t& row = row_of_[to_index(thread)];
  if (row == 0) {
    targets_.push_back({thread, 0, {}});
    row = static_cast<uint32_t>(targets_.size());
  }
  ++version_;
  targets_[row - 1].version = version_;
  auto& edges = targets_[row - 1].edges;
  auto at = std::ranges::upper_bound(edges, opened, {}, &Edge::opened);
  if (at != edges.begin() && (at - 1)->opened == opened) {
    --at;
  } else {
    at = at == edges.begin()
             ? edges.insert(at, {opened, now, version_, clocks::VectorClock()})
             : edges.insert(at, {opened, (at - 1)->found, version_, (at - 1)->released});
    ++size_;
  }
  // Sections nested in this one ended, and got their edges, before it.
  for (; at != edges.end(); ++at) {
    at->found = std::max(at->found, now);
    at->version = version_;
    at->released.join(released);
  }
}

const ExtraEdges::Edge* ExtraEdges::last_before(const Target& target, clocks::Time time) {
  const auto& edges = target.edges;
  if (time < edges.front().opened) return nullptr;
  if (time >= edges.back().opened) return &edges.back();
  return &*(std::ranges::upper_bound(edges, time, {}, &Edge::opened) - 1);
}

void ExtraEdges::adjust_further(clocks::VectorClock& clock, uint64_t since) const {
  for (bool grown = true; grown;) {
    grown = false;
    for (const Target& target : targets_) {
      if (target.version <= since) continue;
      const clocks::Time time = clock[target.thread];
      if (time > target.edges.back().found) continue;
      const Edge* edge = last_before(target, time);
      if (!edge || time > edge->found || edge->version <= since) continue;
      if (edge->released.leq(clock)) continue;
      clock.join(edge->released);
      grown = true;
    }
  }
}

bool ExtraEdges::leads(clocks::Epoch e, ThreadId thread, clocks::Time time) const {
  if (to_index(thread) >= row_of_.size() || row_of_[to_index(thread)] == 0) return false;
  const Edge* edge = last_before(targets_[row_of_[to_index(thread)] - 1], time);
  return edge && edge->released.contains(e);
}

void ExtraEdges::clear() {
  row_of_.clear();
  targets_.clear();
  size_ = 0;
}

}  // namespace foretell::analysis
