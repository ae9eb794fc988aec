// SPDX-License-Identifier: Apache-2.0

#include "trace/normalizer.h"

#include <algorithm>

#include "trace/event_match.h"
#include "trace/trace.h"

namespace foretell::trace {
namespace {

template <class Range, class Value, class Projection>
bool contains(const Range& range, const Value& value, Projection projection) {
  return std::ranges::find(range, value, projection) != range.end();
}

}  // namespace

Result<void> Normalizer::run(std::span<const Event> raw, std::vector<Event>& out) {
  for (const Event& e : raw) {
    if (is_plain_access(e.kind) && plain_access(e, out)) continue;
    if (auto done = step(e, out); !done) {
      failed_at_ = e.index;
      return done;
    }
  }
  return {};
}

// The short way for an access that breaks no rule and is one cell; false if it is not such a one.
inline bool Normalizer::plain_access(const Event& e, std::vector<Event>& out) {
  if (e.has_value() || values_.size() > 0) return false;
  const ThreadState& thread = threads_[e.thread];
  if (!thread.seen || thread.ended || thread.joined || thread.blocked != Blocked::no) return false;
  if (!cells_) {
    out.push_back(e);
    return true;
  }
  const auto cell = cells_->sole_cell(e.location());
  if (!cell) return false;
  out.push_back(e);
  out.back().object = static_cast<uint32_t>(*cell);
  return true;
}

Result<void> Normalizer::check_can_act(const Event& e, ThreadState& thread) {
  if (thread.ended) {
    return fail("thread {} acts after its end", thread_name(e.thread));
  }
  if (thread.joined) {
    return fail("thread {} acts after it was joined", thread_name(e.thread));
  }
  if (thread.blocked == Blocked::waiting && e.kind != EventKind::WaitEnd) {
    return fail("thread {} acts while it waits on condition {}", thread_name(e.thread),
                condition_name(ConditionId{thread.blocked_on}));
  }
  if (thread.blocked == Blocked::at_barrier && e.kind != EventKind::BarrierExit) {
    return fail("thread {} acts while it is at barrier {}", thread_name(e.thread),
                barrier_name(BarrierId{thread.blocked_on}));
  }
  if (e.kind == EventKind::ThreadBegin && thread.seen) {
    return fail("thread {} begins after its first event", thread_name(e.thread));
  }
  return {};
}

Result<void> Normalizer::step(const Event& e, std::vector<Event>& out) {
  ThreadState& thread = threads_[e.thread];
  if (thread.ended || thread.joined || thread.blocked != Blocked::no ||
      e.kind == EventKind::ThreadBegin) [[unlikely]] {
    if (auto ok = check_can_act(e, thread); !ok) return ok;
  }
  thread.seen = true;

  using enum EventKind;
  return match(e.kind,
               Cases{
                   on<kPlainAccesses, kAtomics>([&] { return access(e, out); }),
                   on<EventClass::acquire, EventClass::release, kRequests, kFailedTries>(
                       [&] { return lock_event(e, out); }),
                   on<Fork>([&] { return fork(e, out); }),
                   on<Join>([&] { return join(e, out); }),
                   on<kBlocks>([&] { return block(e, out); }),
                   on<WaitBegin>([&] { return wait_begin(e, out); }),
                   on<WaitEnd>([&] { return wait_end(e, out); }),
                   on<kNotifies>([&] { return notify(e, out); }),
                   on<BarrierEnter>([&] { return barrier_enter(e, out); }),
                   on<BarrierExit>([&] { return barrier_exit(e, out); }),
                   on<SemaphorePost>([&] { return semaphore_post(e, out); }),
                   on<SemaphoreWait>([&] { return semaphore_wait(e, out); }),
                   on<Alloc>([&] { return allocate(e, out); }),
                   on<Free>([&] { return free(e, out); }),
                   on<EventClass::thread_life, Fence, EventClass::remark, EventClass::destruction>(
                       [&]() -> Result<void> {
                         if (e.kind == ThreadEnd) thread.ended = true;
                         out.push_back(e);
                         return {};
                       }),
               });
}

Result<void> Normalizer::access(const Event& e, std::vector<Event>& out) {
  if (!cells_) return access_cell(e, out);
  cells_->pieces(e.location(), pieces_);
  for (const CellMap::Piece& piece : pieces_) {
    Event part = e;
    part.object = static_cast<uint32_t>(piece.cell);
    if ((e.has_value() || e.has_read_value()) && piece.size > 0) cut_value(part, e, piece);
    if (auto ok = access_cell(part, out); !ok) return ok;
  }
  return {};
}

// A known value is cut like the bytes it stands for, the least significant byte first. What the
// trace leaves without extent has no bytes to cut.
void Normalizer::cut_value(Event& part, const Event& whole, const CellMap::Piece& piece) const {
  const uint64_t size = tables_.locations[whole.location()].size;
  if (size == piece.size) return;
  if (size == 0 || piece.offset + piece.size > 8) {
    part.flags &= static_cast<uint16_t>(~(Event::kHasValue | Event::kHasReadValue));
    part.value = part.extra = 0;
    return;
  }
  const uint64_t mask = piece.size == 8 ? ~uint64_t{0} : (uint64_t{1} << (piece.size * 8)) - 1;
  part.value = (whole.value >> (piece.offset * 8)) & mask;
  part.extra = (whole.extra >> (piece.offset * 8)) & mask;
}

// Values of a cell of less than eight bytes count modulo its width: -1 is 255 in one byte.
bool Normalizer::same_value(LocationId cell, uint64_t a, uint64_t b) const {
  if (a == b) return true;
  const uint64_t size = location(cell).size;
  return size > 0 && size < 8 && ((a ^ b) << (64 - size * 8)) == 0;
}

Result<void> Normalizer::access_cell(const Event& e, std::vector<Event>& out) {
  if (is_read(e.kind)) {
    const bool rmw = e.kind == EventKind::AtomicRmw;
    if (rmw ? e.has_read_value() : e.has_value()) {
      const KnownValue& last = values_[e.location()];
      const uint64_t seen = rmw ? e.read_value() : e.value;
      if (last.known && !same_value(e.location(), last.value, seen)) {
        if (unrecorded_writes_) return access_changed_cell(e, out);
        return fail("thread {} reads {} from {}, but the last write (event {}) stored {}",
                    thread_name(e.thread), static_cast<int64_t>(seen),
                    location_name(location(e.location())), to_index(last.writer),
                    static_cast<int64_t>(last.value));
      }
    }
  }
  if (is_write(e.kind) && (e.has_value() || to_index(e.location()) < values_.size())) {
    values_[e.location()] = {e.has_value(), e.value, e.index};
  }
  out.push_back(e);
  return {};
}

// Code that recorded nothing has written the cell. The value read is what it holds now, but no
// recorded write has stored it: the event keeps no value that would say so.
Result<void> Normalizer::access_changed_cell(Event e, std::vector<Event>& out) {
  const bool rmw = e.kind == EventKind::AtomicRmw;
  values_[e.location()] = {!rmw || e.has_value(), e.value, e.index};
  if (rmw) {
    e.flags &= static_cast<uint16_t>(~Event::kHasReadValue);
    e.extra = 0;
  } else {
    e.flags &= static_cast<uint16_t>(~Event::kHasValue);
    e.value = 0;
  }
  out.push_back(e);
  return {};
}

Result<void> Normalizer::lock_event(const Event& e, std::vector<Event>& out) {
  switch (e.kind) {
    case EventKind::Acquire:
      return acquire(e, out);
    case EventKind::AcquireShared:
      return acquire_shared(e, out);
    case EventKind::Release:
      return release(e, out);
    case EventKind::ReleaseShared:
      return release_shared(e, out);
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      return try_fail(e, out);
    default:
      break;
  }
  // A request of a lock already held cannot block: it belongs to a re-entrant pair.
  const LockState& lock = locks_[e.lock()];
  const bool own =
      (lock.held && lock.holder == e.thread) ||
      (e.kind == EventKind::RequestShared && contains(lock.readers, e.thread, &HeldShared::thread));
  if (!own) out.push_back(e);
  return {};
}

Result<void> Normalizer::acquire(const Event& e, std::vector<Event>& out) {
  LockState& lock = locks_[e.lock()];
  if (lock.held && lock.holder == e.thread) {
    ++lock.depth;
    return {};
  }
  if (lock.held) {
    return fail("thread {} acquires lock {}, which thread {} holds", thread_name(e.thread),
                lock_name(e.lock()), thread_name(lock.holder));
  }
  if (!lock.readers.empty()) {
    return fail("thread {} acquires lock {}, which thread {} holds in shared mode",
                thread_name(e.thread), lock_name(e.lock()),
                thread_name(lock.readers.front().thread));
  }
  lock.held = true;
  lock.holder = e.thread;
  lock.depth = 1;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::acquire_shared(const Event& e, std::vector<Event>& out) {
  LockState& lock = locks_[e.lock()];
  if (lock.held) {
    return fail("thread {} acquires lock {} in shared mode, but thread {} holds it exclusively",
                thread_name(e.thread), lock_name(e.lock()), thread_name(lock.holder));
  }
  auto mine = std::ranges::find(lock.readers, e.thread, &HeldShared::thread);
  if (mine != lock.readers.end()) {
    ++mine->depth;
    return {};
  }
  lock.readers.push_back({e.thread, 1});
  out.push_back(e);
  return {};
}

Result<void> Normalizer::release(const Event& e, std::vector<Event>& out) {
  LockState& lock = locks_[e.lock()];
  if (!lock.held) {
    return fail("thread {} releases lock {}, which nobody holds{}", thread_name(e.thread),
                lock_name(e.lock()), lock.readers.empty() ? "" : " exclusively");
  }
  if (lock.holder != e.thread) {
    return fail("thread {} releases lock {}, which thread {} holds", thread_name(e.thread),
                lock_name(e.lock()), thread_name(lock.holder));
  }
  if (--lock.depth > 0) return {};
  lock.held = false;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::release_shared(const Event& e, std::vector<Event>& out) {
  LockState& lock = locks_[e.lock()];
  auto mine = std::ranges::find(lock.readers, e.thread, &HeldShared::thread);
  if (mine == lock.readers.end()) {
    return fail("thread {} releases lock {} in shared mode without holding it so",
                thread_name(e.thread), lock_name(e.lock()));
  }
  if (--mine->depth > 0) return {};
  lock.readers.erase(mine);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::try_fail(const Event& e, std::vector<Event>& out) {
  const LockState& lock = locks_[e.lock()];
  const bool fails = lock.held || (e.kind == EventKind::TryFail && !lock.readers.empty());
  if (!fails) {
    return fail("thread {} fails to acquire lock {}, which is free", thread_name(e.thread),
                lock_name(e.lock()));
  }
  out.push_back(e);
  return {};
}

Result<void> Normalizer::fork(const Event& e, std::vector<Event>& out) {
  if (e.other_thread() == e.thread) {
    return fail("thread {} forks itself", thread_name(e.thread));
  }
  ThreadState& child = threads_[e.other_thread()];
  if (child.forked) {
    return fail("thread {} forks thread {}, which was forked before", thread_name(e.thread),
                thread_name(e.other_thread()));
  }
  if (child.seen) {
    return fail("thread {} forks thread {}, which has acted before", thread_name(e.thread),
                thread_name(e.other_thread()));
  }
  child.forked = true;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::join(const Event& e, std::vector<Event>& out) {
  if (e.other_thread() == e.thread) {
    return fail("thread {} joins itself", thread_name(e.thread));
  }
  ThreadState& child = threads_[e.other_thread()];
  if (!child.forked && !child.seen) {
    return fail("thread {} joins thread {}, which was never forked and has no events",
                thread_name(e.thread), thread_name(e.other_thread()));
  }
  if (child.blocked != Blocked::no) {
    return fail("thread {} joins thread {}, which is still waiting", thread_name(e.thread),
                thread_name(e.other_thread()));
  }
  child.joined = true;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::block(const Event& e, std::vector<Event>& out) {
  ThreadState& thread = threads_[e.thread];
  switch (e.kind) {
    case EventKind::BlockBegin:
      thread.blocks.push_back(e.label());
      break;
    case EventKind::BlockEnd:
      if (thread.blocks.empty() || thread.blocks.back() != e.label()) {
        return fail("thread {} ends block {}, but {}", thread_name(e.thread), label_name(e.label()),
                    thread.blocks.empty() ? "no block is open"
                                          : fmt::format("the innermost open block is {}",
                                                        label_name(thread.blocks.back())));
      }
      thread.blocks.pop_back();
      break;
    case EventKind::FunctionEnter:
      thread.calls.push_back(e.function());
      break;
    default:
      // An exception or longjmp leaves several functions at once.
      while (!thread.calls.empty() && thread.calls.back() != e.function()) thread.calls.pop_back();
      if (thread.calls.empty()) {
        return fail("thread {} leaves function {}, which it has not entered", thread_name(e.thread),
                    excerpt(tables_.functions[e.function()]));
      }
      thread.calls.pop_back();
      break;
  }
  out.push_back(e);
  return {};
}

Result<void> Normalizer::allocate(const Event& e, std::vector<Event>& out) {
  Life& life = lives_[e.location()];
  if (life == Life::live) {
    return fail("thread {} allocates {}, which is allocated already", thread_name(e.thread),
                location_name(tables_.locations[e.location()]));
  }
  life = Life::live;
  if (cells_) cells_->allocate(e.location(), e.index);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::free(const Event& e, std::vector<Event>& out) {
  Life& life = lives_[e.location()];
  if (life == Life::freed) {
    return fail("thread {} frees {}, which is free already", thread_name(e.thread),
                location_name(tables_.locations[e.location()]));
  }
  life = Life::freed;
  if (!cells_) {
    out.push_back(e);
    return {};
  }
  cells_->pieces(e.location(), pieces_);
  for (const CellMap::Piece& piece : pieces_) {
    out.push_back(e);
    out.back().object = static_cast<uint32_t>(piece.cell);
  }
  return {};
}

CellTable Normalizer::cell_table() const {
  if (cells_) return cells_->cells();
  CellTable identity;
  for (uint32_t i = 0; i < tables_.locations.size(); ++i) {
    identity.add({tables_.locations[LocationId{i}]});
  }
  return identity;
}

Result<Trace> normalize(Trace raw) {
  Trace normal;
  Normalizer normalizer(raw.tables, std::make_unique<CellMap>(raw.tables));
  if (auto done = normalizer.run(raw.events, normal.events); !done) {
    Diagnostic diagnostic = std::move(done).error();
    diagnostic.where = fmt::format("event {}", to_index(normalizer.failed_at()));
    return std::unexpected(std::move(diagnostic));
  }
  normal.cells = normalizer.cell_table();
  normal.tables = std::move(raw.tables);
  return normal;
}

}  // namespace foretell::trace
