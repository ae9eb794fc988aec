// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/eraser/eraser.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "trace/event_match.h"

namespace foretell::analysis {
namespace {

// Stands for the lock an atomic access holds on its location.
constexpr LockId kAtomicity{std::numeric_limits<uint32_t>::max()};

bool writes(trace::EventKind kind) {
  return is_write(kind) || kind == trace::EventKind::Free;
}

bool same_class(trace::EventKind a, trace::EventKind b) {
  return is_atomic_access(a) == is_atomic_access(b) && writes(a) == writes(b);
}

bool clashes(const finding::EventRef& earlier, const trace::Event& e) {
  return clash(trace::Event{.kind = earlier.kind, .thread = earlier.thread, .object = e.object}, e);
}

}  // namespace

void Eraser::on_event(const trace::Event& e) {
  match(e.kind,
        trace::Cases{
            trace::on<trace::kAccesses>([&] { access(e); }),
            trace::on<trace::kSectionBegins>(
                [&] { take(e, e.kind == trace::EventKind::AcquireShared); }),
            trace::on<trace::kSectionEnds>([&] { give_up(e); }),
            trace::ignored<trace::EventKind::Alloc, trace::EventKind::Fence, trace::kRequests,
                           trace::kFailedTries, trace::kForksAndJoins, trace::kNotifies,
                           trace::kBarriers, trace::kSemaphores, trace::kRemarks>,
        });
}

void Eraser::take(const trace::Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  auto at = std::ranges::lower_bound(thread.held, e.lock(), {}, &HeldLock::lock);
  thread.held.insert(at, {e.lock(), shared});
  thread.locksets = {};
}

void Eraser::give_up(const trace::Event& e) {
  ThreadState& thread = threads_[e.thread];
  auto at = std::ranges::lower_bound(thread.held, e.lock(), {}, &HeldLock::lock);
  CHECK(at != thread.held.end() && at->lock == e.lock());
  thread.held.erase(at);
  thread.locksets = {};
}

LocksetId Eraser::lockset_of(const trace::Event& e) {
  ThreadState& thread = threads_[e.thread];
  const bool write = writes(e.kind), atomic = is_atomic_access(e.kind);
  std::optional<LocksetId>& known = thread.locksets[write][atomic];
  if (!known) {
    std::vector<LockId> locks;
    for (const HeldLock& held : thread.held) {
      if (!write || !held.shared) locks.push_back(held.lock);
    }
    if (atomic) locks.push_back(kAtomicity);
    known = locksets_.intern(std::move(locks));
  }
  return *known;
}

void Eraser::access(const trace::Event& e) {
  LocationState& x = locations_[e.location()];
  switch (x.state) {
    case State::virgin:
      ++virgin_to_exclusive_;
      x.state = State::exclusive;
      x.owner = e.thread;
      break;
    case State::exclusive:
      leave_exclusive(e, x);
      break;
    case State::shared:
      x.lockset = locksets_.intersect(x.lockset, lockset_of(e));
      ++(writes(e.kind) ? shared_to_shared_modified_ : stays_shared_);
      if (writes(e.kind)) x.state = State::shared_modified;
      break;
    case State::shared_modified:
      x.lockset = locksets_.intersect(x.lockset, lockset_of(e));
      ++stays_shared_modified_;
      break;
  }
  if (x.state == State::shared_modified && x.lockset == kEmptyLockset) warn(e, x);
  remember(e, x);
}

void Eraser::leave_exclusive(const trace::Event& e, LocationState& x) {
  if (x.owner == e.thread) {
    ++stays_exclusive_;
    return;
  }
  ++(writes(e.kind) ? exclusive_to_shared_modified_ : exclusive_to_shared_);
  x.state = writes(e.kind) ? State::shared_modified : State::shared;
  x.lockset = lockset_of(e);
}

void Eraser::warn(const trace::Event& e, LocationState& x) {
  const finding::EventRef* first = nullptr;
  for (const finding::EventRef& earlier : x.recent) {
    if (clashes(earlier, e) && (!first || first->index < earlier.index)) first = &earlier;
  }
  if (!first) {
    ++warnings_without_pair_;
    return;
  }
  ++races_;
  sink_.propose(finding::Proposal::race(e.location(), *first, finding::EventRef::of(e)));
  if (options_.order_after_race) {
    x.state = State::exclusive;
    x.owner = e.thread;
    x.recent.clear();
  }
}

void Eraser::remember(const trace::Event& e, LocationState& x) {
  if (e.kind == trace::EventKind::Free) x.recent.clear();
  finding::EventRef* oldest = nullptr;
  size_t alike = 0;
  for (finding::EventRef& earlier : x.recent) {
    if (!same_class(earlier.kind, e.kind)) continue;
    if (earlier.thread == e.thread) {
      earlier = finding::EventRef::of(e);
      return;
    }
    ++alike;
    if (!oldest || earlier.index < oldest->index) oldest = &earlier;
  }
  if (alike < 2) {
    x.recent.push_back(finding::EventRef::of(e));
  } else {
    *oldest = finding::EventRef::of(e);
  }
}

void Eraser::report_counters(CounterSink& sink) const {
  sink.count("virgin to exclusive", virgin_to_exclusive_);
  sink.count("stays exclusive", stays_exclusive_);
  sink.count("exclusive to shared", exclusive_to_shared_);
  sink.count("exclusive to shared-modified", exclusive_to_shared_modified_);
  sink.count("stays shared", stays_shared_);
  sink.count("shared to shared-modified", shared_to_shared_modified_);
  sink.count("stays shared-modified", stays_shared_modified_);
  sink.count("race", races_);
  sink.count("warning without a clashing access", warnings_without_pair_);
}

}  // namespace foretell::analysis
