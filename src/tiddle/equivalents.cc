// SPDX-License-Identifier: Apache-2.0

#include "tiddle/equivalents.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "tiddle/conflict_order.h"

namespace foretell::tiddle {
namespace {

// A partial trace that is extended and taken back one operation at a time.
class Extension {
 public:
  using State = std::vector<uint32_t>;

  explicit Extension(const ConflictOrder& order)
      : order_(order),
        missing_(order.predecessor_count),
        placed_(order.by_thread.size(), 0),
        writer_(order.initial_values.size(), kNobody) {}

  // The operations that may come next, in trace order.
  std::vector<size_t> sources() const {
    std::vector<size_t> found;
    for (size_t t = 0; t < placed_.size(); ++t) {
      if (placed_[t] == order_.by_thread[t].size()) continue;
      const size_t event = order_.by_thread[t][placed_[t]];
      if (missing_[event] == 0 && values_agree(event)) found.push_back(event);
    }
    std::ranges::sort(found);
    return found;
  }

  void place(size_t event) {
    sequence_.push_back(event);
    ++placed_[order_.thread[event]];
    for (size_t next : order_.successors[event]) --missing_[next];
    for (const ValuePiece& piece : order_.pieces[event]) {
      if (!piece.writes) continue;
      overwritten_.push_back(writer_[piece.cell]);
      writer_[piece.cell] = static_cast<uint32_t>(event);
    }
  }

  void take_back() {
    const size_t event = sequence_.back();
    sequence_.pop_back();
    --placed_[order_.thread[event]];
    for (size_t next : order_.successors[event]) ++missing_[next];
    const auto& pieces = order_.pieces[event];
    for (size_t i = pieces.size(); i-- > 0;) {
      if (!pieces[i].writes) continue;
      writer_[pieces[i].cell] = overwritten_.back();
      overwritten_.pop_back();
    }
  }

  // What decides how the rest can go on.
  State state() const {
    State key = placed_;
    key.insert(key.end(), writer_.begin(), writer_.end());
    return key;
  }

  const std::vector<size_t>& sequence() const { return sequence_; }
  bool complete() const { return sequence_.size() == order_.thread.size(); }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;

  // A read sees the last write, or what was there before any, if both values are known.
  bool values_agree(size_t event) const {
    for (const ValuePiece& piece : order_.pieces[event]) {
      if (!piece.read_known) continue;
      if (writer_[piece.cell] == kNobody) {
        const auto& initial = order_.initial_values[piece.cell];
        if (initial && *initial != piece.read_value) return false;
        continue;
      }
      for (const ValuePiece& written : order_.pieces[writer_[piece.cell]]) {
        const bool same = written.cell == piece.cell && written.writes && written.write_known;
        if (same && written.written_value != piece.read_value) return false;
      }
    }
    return true;
  }

  const ConflictOrder& order_;
  std::vector<uint32_t> missing_;      // by event: predecessors not yet placed
  std::vector<uint32_t> placed_;       // by thread: how many events
  std::vector<uint32_t> writer_;       // by tracked cell: the last write
  std::vector<uint32_t> overwritten_;  // for take_back
  std::vector<size_t> sequence_;
};

// Depth-first with an explicit stack: traces can be long.
struct Level {
  std::vector<size_t> choices;
  size_t next = 0;
  uint64_t found = 0;  // complete traces below
};

class Enumerator {
 public:
  Enumerator(const TraceView& trace, const ConflictOrder& order, uint64_t limit,
             const EquivalentSink& sink)
      : trace_(trace), extension_(order), limit_(limit), sink_(sink) {}

  uint64_t run() {
    if (limit_ == 0) return 0;
    std::vector<Level> levels;
    levels.push_back({extension_.sources()});
    if (extension_.complete()) {
      emit();
      return emitted_;
    }
    while (!levels.empty()) {
      Level& level = levels.back();
      if (level.next == level.choices.size()) {
        const uint64_t found = level.found;
        levels.pop_back();
        if (levels.empty()) break;
        if (found == 0) dead_.insert(extension_.state());
        extension_.take_back();
        levels.back().found += found;
        continue;
      }
      extension_.place(level.choices[level.next++]);
      if (extension_.complete()) {
        ++level.found;
        if (!emit()) return emitted_;
        extension_.take_back();
      } else if (!dead_.empty() && dead_.contains(extension_.state())) {
        extension_.take_back();
      } else {
        levels.push_back({extension_.sources()});
      }
    }
    return emitted_;
  }

 private:
  bool emit() {
    std::vector<trace::Event> events;
    for (size_t index : extension_.sequence()) {
      events.push_back(trace_.events[index]);
      events.back().index = EventIndex{events.size() - 1};
    }
    ++emitted_;
    return sink_(events) && emitted_ < limit_;
  }

  const TraceView& trace_;
  Extension extension_;
  uint64_t limit_;
  const EquivalentSink& sink_;
  uint64_t emitted_ = 0;
  absl::flat_hash_set<Extension::State> dead_;
};

}  // namespace

Result<uint64_t> enumerate_equivalents(const TraceView& trace, uint64_t limit,
                                       const EquivalentSink& sink) {
  FORETELL_TRY(order, conflict_order(trace));
  return Enumerator(trace, order, limit, sink).run();
}

Result<EquivalentCount> count_equivalents(const TraceView& trace, uint64_t limit,
                                          size_t max_states) {
  FORETELL_TRY(order, conflict_order(trace));
  Extension extension(order);
  if (extension.complete()) return EquivalentCount{1};
  absl::flat_hash_map<Extension::State, uint64_t> known;  // state -> completions
  std::vector<Level> levels;
  levels.push_back({extension.sources()});
  uint64_t total = 0;
  auto saturating_add = [](uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; };
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.found > limit) return EquivalentCount{limit, CountOutcome::more_than};
    if (level.next < level.choices.size()) {
      extension.place(level.choices[level.next++]);
      if (extension.complete()) {
        level.found = saturating_add(level.found, 1);
        extension.take_back();
        continue;
      }
      if (auto it = known.find(extension.state()); it != known.end()) {
        level.found = saturating_add(level.found, it->second);
        extension.take_back();
        continue;
      }
      levels.push_back({extension.sources()});
      continue;
    }
    const uint64_t found = level.found;
    levels.pop_back();
    if (levels.empty()) {
      total = found;
      break;
    }
    if (known.size() >= max_states) {
      uint64_t least = found;
      for (const Level& open : levels) least = std::max(least, open.found);
      return EquivalentCount{least, CountOutcome::gave_up};
    }
    known.emplace(extension.state(), found);
    extension.take_back();
    levels.back().found = saturating_add(levels.back().found, found);
  }
  if (total == UINT64_MAX) return EquivalentCount{total - 1, CountOutcome::more_than};
  return EquivalentCount{total};
}

}  // namespace foretell::tiddle
