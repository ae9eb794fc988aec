// SPDX-License-Identifier: Apache-2.0

// LockIndex: who holds which lock where in the recorded trace, without walking it.
//
// A lock section lies between an acquire (or wake) and its release (or wait). Three indexes:
//   by lock             the state after each of its events
//   by lock and thread  the sections, in program order
//   by thread           what it holds after each of its lock events, as stacks that share their
//                       lower parts
// Every question is a binary search. Memory is linear in the lock events, unless sections of one
// thread end in another order than the reverse of their begin: then each such end costs what it
// leaves open.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "judge/interleaving.h"
#include "trace/lock_sections.h"

namespace foretell::judge {

// Who holds a lock.
struct LockState {
  bool exclusive = false;
  uint32_t shared = 0;
  bool held() const { return exclusive || shared > 0; }
};

class LockIndex {
 public:
  // While the trace is walked: sections of a lock begin and end in trace order. `step` counts the
  // events of the thread.
  void begin(LockId lock, bool exclusive, size_t thread, uint32_t step, Position p);
  void end(LockId lock, bool exclusive, size_t thread, uint32_t step, Position p, Position begun);
  void finish();

  // After the recorded events before `p`.
  LockState state_before(LockId lock, Position p) const;
  // The section of `lock` that `thread` is in after its first `steps` events, by its begin, or
  // none.
  Position open_section(LockId lock, size_t thread, uint32_t steps) const;
  // The last section of `lock` that `thread` begins among its first `steps` events, or none.
  Position last_section(LockId lock, size_t thread, uint32_t steps) const;
  // The begins of all sections `thread` is in after its first `steps` events, the latest first.
  std::vector<Position> open_sections(size_t thread, uint32_t steps) const;
  // The threads that ever hold the lock, ascending.
  const std::vector<uint32_t>& users(LockId lock) const;

 private:
  struct Change {
    Position at;
    LockState after;
  };
  struct Section {
    uint32_t thread, step;
    Position begin;
  };
  struct OfLock {
    std::vector<Change> changes;
    std::vector<Section> sections;  // by thread, then step
    std::vector<uint32_t> users;
  };
  // One held section on top of others.
  struct Held {
    Position begin;
    uint32_t below;
  };
  struct Holding {
    uint32_t step;  // of the event that changed it
    uint32_t top;   // in held_
  };
  static constexpr uint32_t kNothing = ~uint32_t{0};

  OfLock& of(LockId lock);
  std::vector<Holding>& of_thread(size_t thread);
  uint32_t without(uint32_t top, Position begun);

  std::vector<OfLock> locks_;
  std::vector<std::vector<Holding>> threads_;
  std::vector<Held> held_;
};

}  // namespace foretell::judge
