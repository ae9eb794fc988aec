// SPDX-License-Identifier: Apache-2.0

// HeldLocks: which locks each thread holds at an event, as numbered sets, and whether it asked for
// the one it gets.
//
// Modes count: who wants or holds a lock shared is not blocked by others who hold it shared. The
// wake of a wait takes its lock, so it is an acquire, too. In a trace that has requests (`req`)
// acquires without one were tries, which do not block.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <vector>

#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell::analysis {

class HeldLocks {
 public:
  using SetId = uint32_t;
  struct Held {
    LockId lock{};
    bool shared = false;
    auto operator<=>(const Held&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Held& held) {
      return H::combine(std::move(state), held.lock, held.shared);
    }
  };

  void on_event(const trace::Event& e);

  // After the events so far.
  bool holds_any(ThreadId thread) { return !threads_[thread].held.empty(); }
  SetId held_by(ThreadId thread);
  // Whether the thread of this acquire, which comes next, has asked for its lock.
  bool has_asked(const trace::Event& acquire);
  // Whether an acquire that was asked for, or not, may block.
  bool may_block(bool was_asked_for) const { return was_asked_for || !has_requests_; }

  std::span<const Held> operator[](SetId set) const { return sets_[set]; }
  // Whether who holds the set keeps others from getting the lock so.
  bool excludes(SetId set, const Held& wanted) const;
  // Whether nobody can hold the one set while another thread holds the other.
  bool exclude_each_other(SetId a, SetId b) const;

 private:
  using Set = std::vector<Held>;  // in order of locks
  struct ThreadState {
    Set held;
    LockId requested{};
    bool has_request = false;  // `requested` was asked for, and not yet acquired
  };

  void request(const trace::Event& e);
  void acquire(const trace::Event& e, bool shared);
  void release(const trace::Event& e);

  DenseTable<ThreadState, ThreadId> threads_;
  bool has_requests_ = false;
  absl::flat_hash_map<Set, SetId> ids_;
  std::vector<Set> sets_;
};

}  // namespace foretell::analysis
