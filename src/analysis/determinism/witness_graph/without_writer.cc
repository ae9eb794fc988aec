// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/without_writer.h"

#include <algorithm>
#include <functional>

namespace foretell::analysis {

template <class Visit>
void WithoutWriter::for_each_before(judge::Position p, Visit&& visit) const {
  for (judge::Position q : parts_.sync_before(p)) visit(q);
  if (!is_read(facts_.event(p).kind)) return;
  const judge::Position writer = facts_.partner[p];
  if (writer != judge::kNoPosition && writer != judge::kUnknownWriter) visit(writer);
}

WithoutWriter::WithoutWriter(const GraphParts& parts)
    : parts_(parts),
      facts_(parts.facts),
      threads_(facts_.thread_count()),
      row_of_(facts_.size()),
      rows_(threads_),  // the first one is of events that wait for nobody
      crossings_(threads_) {
  std::vector<uint32_t> mine(threads_);
  for (judge::Position p = 0; p < facts_.size(); ++p) {
    const size_t thread = facts_.thread_index(p);
    const uint32_t step = facts_.step[p];
    row_of_[p] = step > 0 ? row_of_[facts_.events_of[thread][step - 1]] : 0;
    bool crosses = false, is_new = false;
    for_each_before(p, [&](judge::Position q) {
      if (facts_.thread_index(q) == thread) return;
      crosses = true;
      if (at(p, facts_.thread_index(q)) > facts_.step[q]) return;
      if (!is_new) {
        is_new = true;
        std::copy_n(rows_.begin() + static_cast<ptrdiff_t>(row_of_[p] * threads_), threads_,
                    mine.begin());
        row_of_[p] = static_cast<uint32_t>(rows_.size() / threads_);
        rows_.insert(rows_.end(), mine.begin(), mine.end());
      }
      uint32_t* row = rows_.data() + size_t{row_of_[p]} * threads_;
      for (size_t t = 0; t < threads_; ++t) row[t] = std::max(row[t], at(q, t));
    });
    if (crosses) crossings_[thread].push_back(p);
  }
}

const std::vector<uint32_t>& WithoutWriter::limits(judge::Position read) {
  const judge::Position writer = facts_.partner[read];
  const size_t of_writer = facts_.thread_index(writer), of_read = facts_.thread_index(read);
  limits_.assign(threads_, 0);
  next_.clear();
  auto look_from = [&](size_t t, judge::Position p) {
    const auto next = std::ranges::lower_bound(crossings_[t], p);
    if (next == crossings_[t].end()) return;
    next_.emplace_back(*next, t);
    std::ranges::push_heap(next_, std::greater());
  };
  for (size_t t = 0; t < threads_; ++t) {
    const std::vector<judge::Position>& events = facts_.events_of[t];
    limits_[t] = static_cast<uint32_t>(events.size());
    if (t == of_writer) {
      limits_[t] = facts_.step[writer];
      continue;
    }
    const auto first = std::ranges::partition_point(
        events, [&](judge::Position p) { return at(p, of_writer) <= facts_.step[writer]; });
    if (first == events.end()) continue;
    if (at(*first, of_read) > facts_.step[read]) {
      look_from(t, *first);
    } else {
      limits_[t] = static_cast<uint32_t>(first - events.begin());
    }
  }
  auto is_cut = [&](judge::Position p) {
    return facts_.step[p] >= limits_[facts_.thread_index(p)];
  };
  while (!next_.empty()) {
    std::ranges::pop_heap(next_, std::greater());
    const auto [p, t] = next_.back();
    next_.pop_back();
    bool cut = false;
    for_each_before(
        p, [&](judge::Position q) { cut = cut || (is_cut(q) && (p != read || q != writer)); });
    if (cut) {
      limits_[t] = facts_.step[p];
    } else {
      look_from(t, p + 1);
    }
  }
  return limits_;
}

}  // namespace foretell::analysis
