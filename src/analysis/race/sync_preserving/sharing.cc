// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/sharing.h"

#include <algorithm>

#include "base/check.h"
#include "trace/event_match.h"

namespace foretell::analysis {
namespace {

template <class Row>
Row& at(std::vector<Row>& rows, size_t index) {
  if (index >= rows.size()) rows.resize(index + 1);
  return rows[index];
}

bool changes(trace::EventKind kind) {
  return is_write(kind) || kind == trace::EventKind::Free;
}

}  // namespace

void Sharing::on_event(const trace::Event& e) {
  if (alone_) [[unlikely]] {
    if (!first_) first_ = e.thread;
    if (e.thread != *first_ || e.kind == trace::EventKind::Fork) {
      alone_ = false;
      writes_alone_ = writes_;
    }
  }
  live(e.thread);
  if (is_access(e.kind)) {
    access(e);
  } else {
    sync(e);
  }
}

void Sharing::live(ThreadId id) {
  Thread& thread = at(threads_, to_index(id));
  if (thread.seen) return;
  living_ += !thread.forked && !thread.joined;
  thread.seen = true;
}

void Sharing::join(ThreadId id) {
  Thread& thread = at(threads_, to_index(id));
  if (!thread.joined) living_ -= thread.seen || thread.forked;
  thread.joined = true;
}

void Sharing::access(const trace::Event& e) {
  Row& row = at(rows_, to_index(e.location()));
  const auto thread = static_cast<uint32_t>(e.thread);
  if (is_read(e.kind) && row.writer != thread && row.writer != kNobody) {
    read_elsewhere_[row.write] = true;
  }
  if (is_write(e.kind)) {
    row.write = writes_++;
    row.writer = thread;
    read_elsewhere_.push_back(false);
  }
  if (alone_) {
    row.before_others = std::max(row.before_others, changes(e.kind) ? Use::changed : Use::read);
    return;
  }
  use(e, row, changes(e.kind));
}

void Sharing::use(const trace::Event& e, Row& row, bool write) {
  const auto thread = static_cast<uint32_t>(e.thread);
  row.written |= write;
  row.plain |= !is_atomic_access(e.kind);
  if (living_ == 1) {
    row.after_joins = true;
  } else {
    meet(e, row, write);
  }
  if (row.thread == kNobody) return begin_use(e, row);
  if (row.thread != thread && !row.shared) {
    row.shared = true;
    if (allocation_of_ && allocation_of_(e.location()) != kNoEvent) {
      allocations_.insert(allocation_of_(e.location()));
      row.foreign = true;
    }
  }
}

void Sharing::meet(const trace::Event& e, Row& row, bool write) {
  if (!row.met) {
    row.met = true;
    row.lockset = lockset_of(e, write);
  } else if (row.lockset != kEmptyLockset) {
    row.lockset = intersect(row.lockset, lockset_of(e, write));
  }
}

void Sharing::begin_use(const trace::Event& e, Row& row) {
  row.thread = static_cast<uint32_t>(e.thread);
  if (!allocation_of_) return;
  const EventIndex allocation = allocation_of_(e.location());
  auto allocator = allocators_.find(allocation);
  if (allocator != allocators_.end() && allocator->second != e.thread) {
    allocations_.insert(allocation);
    row.foreign = true;
  }
}

void Sharing::sync(const trace::Event& e) {
  Thread& thread = threads_[to_index(e.thread)];
  using enum trace::EventKind;
  match(e.kind, trace::Cases{
                    trace::on<trace::EventClass::acquire>([&] {
                      use_lock(e);
                      take(e, e.kind == AcquireShared);
                    }),
                    trace::on<trace::kReleases>([&] { give_up(e); }),
                    trace::on<trace::kFailedTries>([&] { use_lock(e); }),
                    trace::on<WaitBegin>([&] {
                      thread.wait = servers_.size();
                      servers_.emplace_back();
                      give_up(e);
                    }),
                    trace::on<WaitEnd>([&] {
                      servers_[thread.wait] = e.partner();
                      take(e, false);
                    }),
                    trace::on<Fork>([&] {
                      Thread& child = at(threads_, to_index(e.other_thread()));
                      living_ += !child.seen && !child.forked;
                      child.forked = true;
                    }),
                    trace::on<Join>([&] { join(e.other_thread()); }),
                    trace::on<Alloc>([&] {
                      if (allocation_of_) allocators_.emplace(e.index, e.thread);
                    }),
                    trace::ignored<trace::kAccesses, Fence, trace::kRequests, trace::kNotifies,
                                   trace::kBarriers, trace::kSemaphores, trace::kRemarks>,
                });
}

void Sharing::use_lock(const trace::Event& e) {
  Lock& lock = at(locks_, to_index(e.lock()));
  const auto thread = static_cast<uint32_t>(e.thread);
  if (lock.thread == kNobody) lock.thread = thread;
  if (lock.thread != thread) lock.shared = true;
}

void Sharing::take(const trace::Event& e, bool shared) {
  Thread& thread = threads_[to_index(e.thread)];
  auto where = std::ranges::lower_bound(thread.held, e.lock(), {}, &HeldLock::lock);
  thread.held.insert(where, {e.lock(), shared});
  thread.locksets = {};
}

void Sharing::give_up(const trace::Event& e) {
  Thread& thread = threads_[to_index(e.thread)];
  auto where = std::ranges::lower_bound(thread.held, e.lock(), {}, &HeldLock::lock);
  CHECK(where != thread.held.end() && where->lock == e.lock());
  thread.held.erase(where);
  thread.locksets = {};
}

LocksetId Sharing::lockset_of(const trace::Event& e, bool write) {
  Thread& thread = threads_[to_index(e.thread)];
  std::optional<LocksetId>& known = thread.locksets[write];
  if (!known) {
    std::vector<LockId> locks;
    for (const HeldLock& held : thread.held) {
      if (!write || !held.shared) locks.push_back(held.lock);
    }
    known = locksets_.intern(std::move(locks));
  }
  return *known;
}

LocksetId Sharing::intersect(LocksetId a, LocksetId b) {
  if (a == b) return a;
  Intersection& recent = recent_[(to_index(a) * 31 + to_index(b)) % recent_.size()];
  if (recent.a != a || recent.b != b) recent = {a, b, locksets_.intersect(a, b)};
  return recent.result;
}

Sharing::Place Sharing::classify(const Row& row, bool alone_counts) {
  if (row.thread == kNobody && row.before_others == Use::none) return {};
  ++locations_;
  bool shared = row.shared, written = row.written;
  bool cannot_race = !row.met || row.lockset != kEmptyLockset || !row.plain;
  if (alone_counts && row.after_joins) cannot_race = false;
  if (alone_counts && row.before_others != Use::none) {
    shared |= row.thread != kNobody && row.thread != static_cast<uint32_t>(*first_);
    written |= row.before_others == Use::changed;
    cannot_race = false;
  }
  const bool carries_order = shared && written;
  if (!carries_order && !row.foreign) return {};
  const bool rivals = carries_order && !cannot_race;
  rival_locations_ += rivals;
  CHECK(place_count_ < uint32_t{1} << 31);
  return {static_cast<uint32_t>(place_count_++) & 0x7fff'ffff, rivals};
}

void Sharing::finish() {
  bool all_forked = true;
  for (size_t t = 0; t < threads_.size(); ++t) {
    all_forked &=
        !threads_[t].seen || threads_[t].forked || ThreadId{static_cast<uint32_t>(t)} == *first_;
  }
  // What all others know anyway orders nothing.
  if (all_forked) std::fill_n(read_elsewhere_.begin(), writes_alone_, false);
  places_.resize(rows_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i] = classify(rows_[i], !all_forked);
  }
  rows_ = {};
  allocators_ = {};
}

}  // namespace foretell::analysis
