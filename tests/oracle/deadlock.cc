// SPDX-License-Identifier: Apache-2.0

// docs/semantics.md, "Deadlocks", row by row: every set of threads is asked whether it is stuck.
#include <algorithm>

#include "oracle.h"
#include "trace/waiting.h"

namespace foretell::oracle {
namespace {

using ThreadSet = uint32_t;  // bit t: thread t

bool contains(ThreadSet set, ThreadId thread) {
  return set >> to_index(thread) & 1;
}

class Stuck {
 public:
  Stuck(const Semantics& semantics, const State& state) : semantics_(semantics), state_(state) {
    for (uint32_t t = 0; t < semantics.thread_count(); ++t) {
      next_.push_back(next_but_request(ThreadId{t}));
    }
  }

  bool is_deadlock(ThreadSet set) const {
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (!contains(set, ThreadId{t})) continue;
      if (!next_[t] || !semantics_.thread_exists(state_, ThreadId{t})) return false;
      if (!is_stuck(*next_[t], set)) return false;
    }
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (contains(set, ThreadId{t}) && reached_from(t, set) != set) return false;
    }
    return true;
  }

  // Every thread that exists is stuck or has no events left.
  bool nobody_can_go_on() const {
    ThreadSet left = 0;
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (!semantics_.thread_exists(state_, ThreadId{t})) continue;
      if (next_[t]) left |= ThreadSet{1} << t;
      if (!next_[t] && state_.done[t] < semantics_.events_of(ThreadId{t}).size()) return false;
    }
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (contains(left, ThreadId{t}) && !is_stuck(*next_[t], left)) return false;
    }
    return true;
  }

  std::vector<Position> places(ThreadSet set) const {
    std::vector<Position> positions;
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (contains(set, ThreadId{t})) positions.push_back(*next_[t]);
    }
    std::ranges::sort(positions);
    return positions;
  }

 private:
  std::optional<Position> next_but_request(ThreadId thread) const {
    const auto& mine = semantics_.events_of(thread);
    uint32_t i = state_.done[to_index(thread)];
    if (i == mine.size()) return {};
    const trace::Event& first = semantics_.event(mine[i]);
    if (first.kind != trace::EventKind::Request && first.kind != trace::EventKind::RequestShared)
      return mine[i];
    if (i + 1 == mine.size()) return {};
    const trace::Event& e = semantics_.event(mine[i + 1]);
    const bool acquires =
        e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared;
    if (!acquires || e.lock() != first.lock()) return {};
    return mine[i + 1];
  }

  bool notified(Position wake) const {
    return state_.notified[to_index(semantics_.event(wake).thread)];
  }

  bool is_of(Position p, trace::EventKind kind, uint32_t object) const {
    const trace::Event& e = semantics_.event(p);
    return e.kind == kind && e.object == object;
  }

  bool is_notify_of(Position p, uint32_t condition) const {
    return is_of(p, trace::EventKind::NotifyOne, condition) ||
           is_of(p, trace::EventKind::NotifyAll, condition);
  }

  // Whether all events of the trace that have not happened and that `fits` are of the set.
  template <class Fits>
  bool rest_is_of(ThreadSet set, Fits fits) const {
    for (Position p = 0; p < semantics_.size(); ++p) {
      if (semantics_.happened(state_, p) || !fits(p)) continue;
      if (!contains(set, semantics_.event(p).thread)) return false;
    }
    return true;
  }

  template <class Fits>
  bool has_left(ThreadId thread, Fits fits) const {
    return std::ranges::any_of(semantics_.events_of(thread), [&](Position p) {
      return !semantics_.happened(state_, p) && fits(p);
    });
  }

  bool semaphore_is_empty(uint32_t semaphore) const {
    for (Position p = 0; p < semantics_.size(); ++p) {
      if (is_of(p, trace::EventKind::SemaphorePost, semaphore) && semantics_.happened(state_, p)) {
        bool taken = false;
        for (Position d = 0; d < semantics_.size(); ++d) {
          taken |= is_of(d, trace::EventKind::SemaphoreWait, semaphore) &&
                   semantics_.server_of(d) == p && semantics_.happened(state_, d);
        }
        if (!taken) return false;
      }
      if (is_of(p, trace::EventKind::SemaphoreWait, semaphore) && !semantics_.server_of(p) &&
          !semantics_.happened(state_, p)) {
        return false;
      }
    }
    return true;
  }

  bool is_stuck(Position p, ThreadSet set) const {
    const trace::Event& e = semantics_.event(p);
    if (is_limited(e) && !(e.kind == trace::EventKind::WaitEnd && notified(p))) return false;
    switch (e.kind) {
      case trace::EventKind::Acquire:
      case trace::EventKind::AcquireShared:
        return somebody_of(set, p);
      case trace::EventKind::WaitEnd:
        if (!semantics_.server_of(p)) return false;
        if (notified(p)) return somebody_of(set, p);
        return !state_.heard[to_index(e.thread)] &&
               rest_is_of(set, [&](Position q) { return is_notify_of(q, e.object); });
      case trace::EventKind::Join:
        return contains(set, e.other_thread());
      case trace::EventKind::SemaphoreWait:
        return semantics_.server_of(p) && semaphore_is_empty(e.object) &&
               rest_is_of(set, [&](Position q) {
                 return is_of(q, trace::EventKind::SemaphorePost, e.object);
               });
      case trace::EventKind::BarrierExit:
        return somebody_of(set, p) && rest_is_of(set, [&](Position q) {
                 return is_of(q, trace::EventKind::BarrierEnter, e.object);
               });
      default:
        return false;
    }
  }

  bool somebody_of(ThreadSet set, Position p) const {
    for (uint32_t t = 0; t < next_.size(); ++t) {
      if (contains(set, ThreadId{t}) && waits_for(p, ThreadId{t})) return true;
    }
    return false;
  }

  // The last column of the table.
  bool waits_for(Position p, ThreadId thread) const {
    const trace::Event& e = semantics_.event(p);
    if (e.thread == thread) return false;
    switch (e.kind) {
      case trace::EventKind::Acquire:
        return semantics_.held(state_, thread, e.lock()) != Mode::none;
      case trace::EventKind::AcquireShared:
        return semantics_.held(state_, thread, e.lock()) == Mode::exclusive;
      case trace::EventKind::WaitEnd:
        if (notified(p)) return semantics_.held(state_, thread, e.lock()) != Mode::none;
        return has_left(thread, [&](Position q) { return is_notify_of(q, e.object); });
      case trace::EventKind::Join:
        return e.other_thread() == thread;
      case trace::EventKind::SemaphoreWait:
        return has_left(thread, [&](Position q) {
          return is_of(q, trace::EventKind::SemaphorePost, e.object);
        });
      case trace::EventKind::BarrierExit:
        return has_left(thread, [&](Position q) {
          return is_of(q, trace::EventKind::BarrierEnter, e.object) &&
                 semantics_.event(q).generation() == e.generation();
        });
      default:
        return false;
    }
  }

  ThreadSet reached_from(uint32_t start, ThreadSet set) const {
    ThreadSet reached = ThreadSet{1} << start;
    for (ThreadSet before = 0; before != reached;) {
      before = reached;
      for (uint32_t t = 0; t < next_.size(); ++t) {
        for (uint32_t u = 0; contains(reached, ThreadId{t}) && u < next_.size(); ++u) {
          if (contains(set, ThreadId{u}) && waits_for(*next_[t], ThreadId{u})) {
            reached |= ThreadSet{1} << u;
          }
        }
      }
    }
    return reached;
  }

  const Semantics& semantics_;
  const State& state_;
  std::vector<std::optional<Position>> next_;  // by thread
};

}  // namespace

std::vector<std::vector<Position>> deadlocks_in(const Semantics& semantics, const State& state) {
  const Stuck stuck(semantics, state);
  std::vector<std::vector<Position>> found;
  for (ThreadSet set = 1; set < ThreadSet{1} << semantics.thread_count(); ++set) {
    if (stuck.is_deadlock(set)) found.push_back(stuck.places(set));
  }
  return found;
}

bool nobody_can_go_on(const Semantics& semantics, const State& state) {
  return Stuck(semantics, state).nobody_can_go_on();
}

}  // namespace foretell::oracle
