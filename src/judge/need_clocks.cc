// SPDX-License-Identifier: Apache-2.0

#include "judge/need_clocks.h"

#include <algorithm>

#include "judge/trace_facts.h"

namespace foretell::judge {

NeedClocks::NeedClocks(const TraceFacts& facts)
    : width_((facts.thread_count() + kChunk - 1) / kChunk),
      row_of_(facts.size()),
      rows_(width_),
      chunks_(kChunk) {
  for (Position p = 0; p < facts.size(); ++p) {
    const uint32_t step = facts.step[p];
    if (step > 0) row_of_[p] = row_of_[facts.events_of[facts.thread_index(p)][step - 1]];
    fresh_from_ = static_cast<uint32_t>(rows_.size() / std::max<size_t>(width_, 1));
    const trace::EventKind kind = facts.event(p).kind;
    if (kind == trace::EventKind::BarrierEnter || kind == trace::EventKind::BarrierExit) {
      if (step == 0 && facts.fork_of[facts.thread_index(p)] != kNoPosition) {
        need(facts, p, facts.fork_of[facts.thread_index(p)]);
      }
      need_enters(facts, p);
    } else {
      facts.for_each_need(p, [&](Position needed) { need(facts, p, needed); });
    }
  }
  generations_ = {};
}

void NeedClocks::need_enters(const TraceFacts& facts, Position p) {
  const trace::Event& e = facts.event(p);
  const bool is_entering = e.kind == trace::EventKind::BarrierEnter;
  if (is_entering && e.generation() == 0) return;
  const uint64_t generation = e.generation() - (is_entering ? 1 : 0);
  const std::span<const Position> enters = facts.enters(e.barrier(), generation);
  // In a trace that is not a run some may come later: one by one.
  if (enters.empty() || enters.back() > p) {
    for (Position enter : enters) need(facts, p, enter);
    return;
  }
  const auto [it, fresh] = generations_.try_emplace({e.barrier(), generation});
  if (fresh) {
    uint32_t all = 0;
    for (Position enter : enters) {
      all = join(all, row_of_[enter], static_cast<uint32_t>(facts.thread_index(enter)),
                 facts.step[enter] + 1);
    }
    it->second = all;
    // It is shared from here on.
    fresh_from_ = static_cast<uint32_t>(rows_.size() / width_);
  }
  row_of_[p] = join(row_of_[p], it->second, 0, 0);
}

void NeedClocks::need(const TraceFacts& facts, Position p, Position needed) {
  const size_t thread = facts.thread_index(needed);
  // A need that comes later belongs to a trace that is not a run; leaving it out refutes nothing.
  if (needed >= p || thread == facts.thread_index(p)) return;
  const uint32_t count = facts.step[needed] + 1;
  if (at(p, thread) >= count) return;
  row_of_[p] = join(row_of_[p], row_of_[needed], static_cast<uint32_t>(thread), count);
}

uint32_t NeedClocks::new_chunk(const uint32_t* values) {
  const auto number = static_cast<uint32_t>(chunks_.size() / kChunk);
  // The values may lie in chunks_ itself.
  uint32_t copy[kChunk];
  std::copy_n(values, kChunk, copy);
  chunks_.insert(chunks_.end(), copy, copy + kChunk);
  return number;
}

uint32_t NeedClocks::join(uint32_t mine, uint32_t theirs, uint32_t raised, uint32_t to) {
  uint32_t row = mine;
  if (row < fresh_from_) {
    row = static_cast<uint32_t>(rows_.size() / width_);
    rows_.resize(rows_.size() + width_);
    std::copy_n(rows_.begin() + static_cast<ptrdiff_t>(mine * width_), width_,
                rows_.end() - static_cast<ptrdiff_t>(width_));
  }
  for (size_t i = 0; i < width_; ++i) {
    const size_t a = block(row, i), b = block(theirs, i);
    const bool has_raised = raised / kChunk == i;
    if (a == b && !has_raised) continue;
    uint32_t joined[kChunk];
    for (size_t k = 0; k < kChunk; ++k) {
      joined[k] = std::max(chunks_[a * kChunk + k], chunks_[b * kChunk + k]);
    }
    if (has_raised) joined[raised % kChunk] = std::max(joined[raised % kChunk], to);
    auto equals = [&](size_t chunk) {
      return std::equal(joined, joined + kChunk, &chunks_[chunk * kChunk]);
    };
    uint32_t& slot = rows_[size_t{row} * width_ + i];
    if (equals(a)) continue;
    slot = equals(b) ? static_cast<uint32_t>(b) : new_chunk(joined);
  }
  return row;
}

void NeedClocks::raise(Position p, std::span<uint32_t> limits) const {
  for (size_t i = 0; i < width_; ++i) {
    const size_t chunk = block(row_of_[p], i);
    if (chunk == 0) continue;
    const size_t begin = i * kChunk, end = std::min(begin + kChunk, limits.size());
    for (size_t t = begin; t < end; ++t) {
      limits[t] = std::max(limits[t], chunks_[chunk * kChunk + t - begin]);
    }
  }
}

}  // namespace foretell::judge
