// SPDX-License-Identifier: Apache-2.0

#include "analysis/deadlock/held_locks.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::analysis {

void HeldLocks::on_event(const trace::Event& e) {
  match(e.kind, trace::Cases{
                    trace::on<trace::kRequests>([&] { request(e); }),
                    trace::on<trace::kSectionBegins>(
                        [&] { acquire(e, e.kind == trace::EventKind::AcquireShared); }),
                    trace::on<trace::kSectionEnds>([&] { release(e); }),
                    // A timed lock that gave up.
                    trace::on<trace::kFailedTries>([&] { threads_[e.thread].has_request = false; }),
                    trace::ignored<trace::kAccesses, trace::EventKind::Alloc,
                                   trace::EventKind::Fence, trace::kForksAndJoins, trace::kNotifies,
                                   trace::kBarriers, trace::kSemaphores, trace::kRemarks>,
                });
}

void HeldLocks::request(const trace::Event& e) {
  has_requests_ = true;
  ThreadState& thread = threads_[e.thread];
  thread.requested = e.lock();
  thread.has_request = true;
}

void HeldLocks::acquire(const trace::Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  if (thread.requested == e.lock()) thread.has_request = false;
  const Held taken{e.lock(), shared};
  thread.held.insert(std::ranges::upper_bound(thread.held, taken), taken);
}

void HeldLocks::release(const trace::Event& e) {
  Set& held = threads_[e.thread].held;
  const auto it = std::ranges::find(held, e.lock(), &Held::lock);
  if (it != held.end()) held.erase(it);
}

HeldLocks::SetId HeldLocks::held_by(ThreadId thread) {
  const Set& held = threads_[thread].held;
  auto [it, is_new] = ids_.try_emplace(held, static_cast<SetId>(sets_.size()));
  if (is_new) sets_.push_back(held);
  return it->second;
}

bool HeldLocks::has_asked(const trace::Event& acquire) {
  const ThreadState& thread = threads_[acquire.thread];
  return thread.has_request && thread.requested == acquire.lock();
}

bool HeldLocks::excludes(SetId set, const Held& wanted) const {
  return std::ranges::any_of(sets_[set], [&](const Held& held) {
    return held.lock == wanted.lock && !(held.shared && wanted.shared);
  });
}

bool HeldLocks::exclude_each_other(SetId a, SetId b) const {
  return std::ranges::any_of(sets_[a], [&](const Held& held) { return excludes(b, held); });
}

}  // namespace foretell::analysis
