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
#include <set>
#include <tuple>

#include "conflict.h"
#include "oracle.h"

namespace foretell::oracle {
namespace {

class BlockSearch {
 public:
  BlockSearch(const Semantics& semantics, Position begin, Position end)
      : semantics_(semantics), begin_(begin), end_(end) {}

  bool run() {
    return descend({semantics_.initial(), std::vector<bool>(semantics_.size()), false});
  }

 private:
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

  bool descend(const Situation& now) {
    if (!seen_.insert(now).second) return false;
    if (now.violated && semantics_.happened(now.state, end_)) return true;
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      const auto p = semantics_.next(now.state, ThreadId{t});
      if (p && semantics_.enabled(now.state, *p) && descend(after(now, *p))) return true;
    }
    return false;
  }

  const Semantics& semantics_;
  Position begin_, end_;
  std::set<Situation> seen_;
};

}  // namespace

std::set<Position> Oracle::violable_blocks() const {
  std::set<Position> violable;
  for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
    std::vector<Position> open;
    for (Position p : semantics_.events_of(ThreadId{t})) {
      if (semantics_.event(p).kind == EventKind::BlockBegin) open.push_back(p);
      if (semantics_.event(p).kind == EventKind::BlockEnd) {
        if (BlockSearch(semantics_, open.back(), p).run()) violable.insert(open.back());
        open.pop_back();
      }
    }
  }
  return violable;
}

}  // namespace foretell::oracle
