// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/graph_parts.h"

#include <algorithm>
#include <utility>

namespace foretell::analysis {

GraphParts::GraphParts(const judge::TraceFacts& trace_facts) : facts(trace_facts) {
  lists_of.resize(facts.lock_count);
  lists_by.resize(facts.thread_count());
  for (size_t lock = 0; lock < facts.lock_count; ++lock) {
    for (uint32_t thread : facts.locks.users(LockId{static_cast<uint32_t>(lock)})) {
      lists_of[lock].push_back(static_cast<uint32_t>(lists.size()));
      lists_by[thread].push_back(static_cast<uint32_t>(lists.size()));
      lists.push_back({LockId{static_cast<uint32_t>(lock)}, thread, {}, {}});
    }
  }
  std::vector<std::pair<judge::Position, judge::Position>> waits;  // notify, wait
  for (judge::Position p = 0; p < facts.size(); ++p) {
    const trace::Event& e = facts.event(p);
    if (e.kind == trace::EventKind::WaitEnd && facts.partner[p] != judge::kNoPosition) {
      waits.emplace_back(facts.partner[p], facts.wait_of(p));
    }
    if (!begins_section(e.kind)) continue;
    for (uint32_t i : lists_of[to_index(e.lock())]) {
      if (lists[i].thread != to_index(e.thread)) continue;
      const Scope scope{p, facts.match[p]};
      lists[i].scopes.push_back(scope);
      if (begins_exclusive(e.kind)) lists[i].exclusive.push_back(scope);
    }
  }
  std::ranges::sort(waits);
  auto wait = waits.begin();
  for (judge::Position p = 0; p < facts.size(); ++p) {
    first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
    const trace::Event& e = facts.event(p);
    facts.for_each_need(p, [&](judge::Position q) {
      const bool couple = is_read(e.kind) && q == facts.partner[p];
      if (!couple) sync_.push_back(q);
    });
    // Who is notified was waiting.
    for (; wait != waits.end() && wait->first == p; ++wait) sync_.push_back(wait->second);
  }
  first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
  find_uses();
}

void GraphParts::find_uses() {
  auto for_each_edge = [&](auto&& visit) {
    for (judge::Position p = 0; p < facts.size(); ++p) {
      for (judge::Position q : sync_before(p)) visit(q, p);
      if (!is_read(facts.event(p).kind)) continue;
      const judge::Position writer = facts.partner[p];
      if (writer != judge::kNoPosition && writer != judge::kUnknownWriter) visit(writer, p);
    }
  };
  first_use_.resize(facts.size() + 1);
  for_each_edge([&](judge::Position from, judge::Position) { ++first_use_[from + 1]; });
  for (size_t p = 0; p < facts.size(); ++p) first_use_[p + 1] += first_use_[p];
  uses_.resize(first_use_.back());
  std::vector<uint32_t> filled(first_use_.begin(), first_use_.end() - 1);
  for_each_edge([&](judge::Position from, judge::Position to) { uses_[filled[from]++] = to; });
}

}  // namespace foretell::analysis
