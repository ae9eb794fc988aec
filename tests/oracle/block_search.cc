// SPDX-License-Identifier: Apache-2.0

// Which atomic blocks can be violated.
//
// A reordering that contains a block is conflict-equivalent to one in which the block stands
// together unless some event of another thread must stay after one event of the block and before
// another: a cycle through the block in the graph of conflicts, ordered as in the reordering.
//
// While a reordering is built event by event, an event is *behind* the block if it belongs to it or
// conflicts with an earlier event that is behind it. The block is violated as soon as one of its
// events conflicts with an earlier foreign event that is behind it. Which events are behind, and
// whether it happened, is all the past that matters: with the state it makes visited situations
// exact to remember.
//
// A block can be interrupted if an unfinished part of it is violated, or would be by its next
// event, whatever that reads, after one next event of another thread, whatever that reads, or after
// another thread's acquire of the lock that the block is about to acquire; or if the next event of
// another thread reads what the block has written last and writes again later.
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "conflict.h"
#include "oracle.h"

namespace foretell::oracle {
namespace {

class BlockSearch {
 public:
  BlockSearch(const Semantics& semantics, Position begin, Position end)
      : semantics_(semantics), begin_(begin), end_(end) {}

  bool run() { return start(); }

  bool run_interrupted() {
    interrupted_ = true;
    return start();
  }

 private:
  bool start() {
    return descend({semantics_.initial(), std::vector<bool>(semantics_.size()), false});
  }

  struct Situation {
    State state;
    std::vector<bool> behind;  // by event
    bool violated = false;

    auto operator<=>(const Situation&) const = default;
  };

  bool in_block(Position p) const {
    return begin_ <= p && p <= end_ &&
           semantics_.event(p).thread == semantics_.event(begin_).thread;
  }

  Situation after(const Situation& now, Position p) const {
    Situation then{semantics_.after(now.state, p), now.behind, now.violated};
    for (Position earlier = 0; earlier < semantics_.size(); ++earlier) {
      if (!now.behind[earlier] || !conflict(semantics_, earlier, p)) continue;
      then.behind[p] = true;
      if (in_block(p) && !in_block(earlier)) then.violated = true;
    }
    if (in_block(p)) then.behind[p] = true;
    return then;
  }

  // The next event of its thread, but for what it reads.
  bool can_be_next(const State& state, Position p, std::span<const Position> excused) const {
    const trace::Event& e = semantics_.event(p);
    if (!is_access(e.kind) || e.is_ambiguous()) return semantics_.enabled(state, p);
    return semantics_.thread_exists(state, e.thread) && semantics_.allocated(state, p) &&
           semantics_.frees_agree(state, p, excused);
  }

  bool behind_conflicts(const Situation& now, Position p, bool foreign) const {
    for (Position q = 0; q < semantics_.size(); ++q) {
      if (now.behind[q] && !(foreign && in_block(q)) && conflict(semantics_, q, p)) return true;
    }
    return false;
  }

  bool is_about_to_be_violated(const Situation& now) const {
    const auto e = semantics_.next(now.state, semantics_.event(begin_).thread);
    if (!e || !in_block(*e)) return false;
    const std::vector<Position> none;
    if (behind_conflicts(now, *e, true) && can_be_next(now.state, *e, none)) return true;
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      const auto c = semantics_.next(now.state, ThreadId{t});
      if (c && is_read_dirty(now.state, *c) && can_be_next(now.state, *c, none)) return true;
      if (!c || in_block(*c) || t == to_index(semantics_.event(begin_).thread)) continue;
      if (!conflict(semantics_, *c, *e) || !behind_conflicts(now, *c, false)) continue;
      const std::vector<Position> both = {*c, *e};
      if (can_be_next(now.state, *c, both) && can_be_next(now.state, *e, both)) return true;
    }
    return false;
  }

  bool is_read_dirty(const State& state, Position c) const {
    const trace::Event& read = semantics_.event(c);
    if (in_block(c) || !is_read(read.kind)) return false;
    const auto last = state.last_write[to_index(read.location())];
    if (!last || !in_block(*last)) return false;
    for (Position p = begin_; p <= end_; ++p) {
      const trace::Event& e = semantics_.event(p);
      if (in_block(p) && !semantics_.happened(state, p) && is_write(e.kind) &&
          e.location() == read.location()) {
        return true;
      }
    }
    return false;
  }

  bool descend(const Situation& now) {
    if (!seen_.insert(now).second) return false;
    if (now.violated && (interrupted_ || semantics_.happened(now.state, end_))) return true;
    if (interrupted_ && is_about_to_be_violated(now)) return true;
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      const auto p = semantics_.next(now.state, ThreadId{t});
      if (p && semantics_.enabled(now.state, *p) && descend(after(now, *p))) return true;
    }
    return false;
  }

  const Semantics& semantics_;
  Position begin_, end_;
  std::set<Situation> seen_;
  bool interrupted_ = false;
};

}  // namespace

std::set<Position> Oracle::violable_blocks() const {
  std::set<Position> violable;
  for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
    std::vector<Position> open;
    for (Position p : semantics_.events_of(ThreadId{t})) {
      if (semantics_.event(p).kind == trace::EventKind::BlockBegin) open.push_back(p);
      if (semantics_.event(p).kind == trace::EventKind::BlockEnd) {
        if (BlockSearch(semantics_, open.back(), p).run()) violable.insert(open.back());
        open.pop_back();
      }
    }
  }
  return violable;
}

std::set<Position> Oracle::interruptible_blocks() const {
  std::set<Position> interruptible;
  for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
    const std::vector<Position>& events = semantics_.events_of(ThreadId{t});
    for (size_t i = 0; i < events.size(); ++i) {
      if (semantics_.event(events[i]).kind != trace::EventKind::BlockBegin) continue;
      size_t last = i;
      for (int open = 1; open > 0 && last + 1 < events.size();) {
        const trace::EventKind kind = semantics_.event(events[++last]).kind;
        open += kind == trace::EventKind::BlockBegin ? 1
                : kind == trace::EventKind::BlockEnd ? -1
                                                     : 0;
      }
      if (BlockSearch(semantics_, events[i], events[last]).run_interrupted()) {
        interruptible.insert(events[i]);
      }
    }
  }
  return interruptible;
}

}  // namespace foretell::oracle
