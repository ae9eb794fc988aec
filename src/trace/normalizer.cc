#include "trace/normalizer.h"

#include <algorithm>

#include "trace/trace.h"

namespace foretell {
namespace {

template <class T, class Id>
T& grow_to(std::vector<T>& rows, Id id) {
  const size_t index = to_index(id);
  if (index >= rows.size()) rows.resize(std::max(index + 1, rows.size() * 2));
  return rows[index];
}

template <class Range, class Value, class Projection>
bool contains(const Range& range, const Value& value, Projection projection) {
  return std::ranges::find(range, value, projection) != range.end();
}

}  // namespace

Normalizer::ThreadState& Normalizer::thread_state(ThreadId thread) {
  return grow_to(threads_, thread);
}

Normalizer::LockState& Normalizer::lock_state(LockId lock) {
  return grow_to(locks_, lock);
}

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
  if (to_index(e.thread) >= threads_.size() || e.has_value() || !values_.empty()) return false;
  const ThreadState& thread = threads_[to_index(e.thread)];
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
  ThreadState& thread = thread_state(e.thread);
  if (thread.ended || thread.joined || thread.blocked != Blocked::no ||
      e.kind == EventKind::ThreadBegin) [[unlikely]] {
    if (auto ok = check_can_act(e, thread); !ok) return ok;
  }
  thread.seen = true;

  switch (e.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
      return access(e, out);
    case EventKind::Acquire:
    case EventKind::AcquireShared:
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      return lock_event(e, out);
    case EventKind::Fork:
      return fork(e, out);
    case EventKind::Join:
      return join(e, out);
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
      return block(e, out);
    case EventKind::WaitBegin:
      return wait_begin(e, out);
    case EventKind::WaitEnd:
      return wait_end(e, out);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return notify(e, out);
    case EventKind::BarrierEnter:
      return barrier_enter(e, out);
    case EventKind::BarrierExit:
      return barrier_exit(e, out);
    case EventKind::SemaphorePost:
      return semaphore_post(e, out);
    case EventKind::SemaphoreWait:
      return semaphore_wait(e, out);
    case EventKind::Alloc:
      return allocate(e, out);
    case EventKind::Free:
      return free(e, out);
    case EventKind::ThreadEnd:
      thread.ended = true;
      out.push_back(e);
      return {};
    case EventKind::ThreadBegin:
    case EventKind::Fence:
    case EventKind::Branch:
    case EventKind::User:
      out.push_back(e);
      return {};
  }
  return {};
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
      const KnownValue& last = grow_to(values_, e.location());
      const uint64_t seen = rmw ? e.read_value() : e.value;
      if (last.known && !same_value(e.location(), last.value, seen)) {
        return fail("thread {} reads {} from {}, but the last write (event {}) stored {}",
                    thread_name(e.thread), static_cast<int64_t>(seen),
                    location_name(location(e.location())), to_index(last.writer),
                    static_cast<int64_t>(last.value));
      }
    }
  }
  if (is_write(e.kind) && (e.has_value() || to_index(e.location()) < values_.size())) {
    grow_to(values_, e.location()) = {e.has_value(), e.value, e.index};
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
  const LockState& lock = lock_state(e.lock());
  const bool own =
      (lock.held && lock.holder == e.thread) ||
      (e.kind == EventKind::RequestShared && contains(lock.readers, e.thread, &HeldShared::thread));
  if (!own) out.push_back(e);
  return {};
}

Result<void> Normalizer::acquire(const Event& e, std::vector<Event>& out) {
  LockState& lock = lock_state(e.lock());
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
  LockState& lock = lock_state(e.lock());
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
  LockState& lock = lock_state(e.lock());
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
  LockState& lock = lock_state(e.lock());
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
  const LockState& lock = lock_state(e.lock());
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
  ThreadState& child = thread_state(e.other_thread());
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
  ThreadState& child = thread_state(e.other_thread());
  if (!child.forked && !child.seen) {
    return fail("thread {} joins thread {}, which was never forked and has no events",
                thread_name(e.thread), thread_name(e.other_thread()));
  }
  if (child.joined) {
    return fail("thread {} joins thread {}, which was joined before", thread_name(e.thread),
                thread_name(e.other_thread()));
  }
  if (child.blocked != Blocked::no) {
    return fail("thread {} joins thread {}, which is still waiting", thread_name(e.thread),
                thread_name(e.other_thread()));
  }
  child.joined = true;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::wait_begin(const Event& e, std::vector<Event>& out) {
  LockState& lock = lock_state(e.lock());
  if (!lock.held || lock.holder != e.thread) {
    return fail("thread {} waits on condition {} without holding lock {}", thread_name(e.thread),
                condition_name(e.condition()), lock_name(e.lock()));
  }
  ThreadState& thread = thread_state(e.thread);
  thread.blocked = Blocked::waiting;
  thread.blocked_on = e.object;
  thread.wait_lock = e.lock();
  thread.wait_depth = lock.depth;
  thread.wait_began = e.index;
  lock.held = false;
  lock.depth = 0;
  grow_to(conditions_, e.condition()).waiting.push_back(e.thread);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::notify(Event e, std::vector<Event>& out) {
  ConditionState& condition = grow_to(conditions_, e.condition());
  const uint64_t ticket = e.value;
  if (ticket != Event::kUnknown && condition.tickets.contains(ticket)) {
    return fail("thread {} notifies condition {} with ticket #{}, which is still in use",
                thread_name(e.thread), condition_name(e.condition()), ticket - 1);
  }
  // Without a waiter it wakes nobody, then or later.
  if (const auto waiters = static_cast<uint32_t>(condition.waiting.size()); waiters > 0) {
    const uint32_t may_serve = e.kind == EventKind::NotifyAll ? waiters : 1;
    condition.notifies.emplace(e.index, Notify{ticket, may_serve});
    if (ticket != Event::kUnknown) condition.tickets.emplace(ticket, e.index);
  }
  e.value = 0;
  out.push_back(e);
  return {};
}

// The notify that served `wake`, which then serves one wake less. Without a ticket the earliest one
// since the wait began is taken; none at all is a spurious wake-up.
Result<EventIndex> Normalizer::take_notify(const Event& wake, ConditionState& condition) {
  if (wake.value == Event::kNoPartner) return kNoEvent;
  auto& notifies = condition.notifies;
  const EventIndex wait_began = thread_state(wake.thread).wait_began;
  auto found = notifies.upper_bound(wait_began);
  if (wake.value != Event::kUnknown) {
    const auto by_ticket = condition.tickets.find(wake.value);
    if (by_ticket == condition.tickets.end() || by_ticket->second < wait_began) {
      return fail(
          "thread {} wakes from condition {} by ticket #{}, which no notify since the wait began "
          "has left",
          thread_name(wake.thread), condition_name(wake.condition()), wake.value - 1);
    }
    found = notifies.find(by_ticket->second);
  }
  if (found == notifies.end()) return kNoEvent;
  const EventIndex partner = found->first;
  if (--found->second.may_serve == 0) {
    condition.tickets.erase(found->second.ticket);
    notifies.erase(found);
  }
  return partner;
}

// A notify only serves waits that had begun before it.
void Normalizer::forget_old_notifies(ConditionState& condition) {
  auto& notifies = condition.notifies;
  const auto keep = condition.waiting.empty()
                        ? notifies.end()
                        : notifies.upper_bound(thread_state(condition.waiting.front()).wait_began);
  for (auto it = notifies.begin(); it != keep; it = notifies.erase(it)) {
    condition.tickets.erase(it->second.ticket);
  }
}

Result<void> Normalizer::wait_end(Event e, std::vector<Event>& out) {
  ThreadState& thread = thread_state(e.thread);
  const std::string name = condition_name(e.condition());
  if (thread.blocked != Blocked::waiting || thread.blocked_on != e.object) {
    return fail("thread {} wakes from condition {}, on which it does not wait",
                thread_name(e.thread), name);
  }
  if (thread.wait_lock != e.lock()) {
    return fail("thread {} wakes from condition {} with lock {}, but it waited with lock {}",
                thread_name(e.thread), name, lock_name(e.lock()), lock_name(thread.wait_lock));
  }
  LockState& lock = lock_state(e.lock());
  if (lock.held || !lock.readers.empty()) {
    return fail("thread {} wakes from condition {} and takes lock {}, which thread {} holds",
                thread_name(e.thread), name, lock_name(e.lock()),
                thread_name(lock.held ? lock.holder : lock.readers.front().thread));
  }

  ConditionState& condition = grow_to(conditions_, e.condition());
  FORETELL_TRY(partner, take_notify(e, condition));
  std::erase(condition.waiting, e.thread);
  forget_old_notifies(condition);

  thread.blocked = Blocked::no;
  lock.held = true;
  lock.holder = e.thread;
  lock.depth = thread.wait_depth;
  e.value = static_cast<uint64_t>(partner);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::barrier_enter(Event e, std::vector<Event>& out) {
  BarrierState& barrier = grow_to(barriers_, e.barrier());
  // The first arrival after somebody left belongs to the next round. So does one that names a new
  // generation: the leaves of the current one have only not been recorded yet.
  const bool names_another = e.value != Event::kUnknown && barrier.ticket != Event::kUnknown &&
                             barrier.ticket != e.value && !barrier.tickets.contains(e.value);
  if (barrier.opened || names_another) {
    ++barrier.generation;
    barrier.opened = false;
    barrier.ticket = Event::kUnknown;
  }
  if (e.value != Event::kUnknown) {
    auto [it, fresh] = barrier.tickets.try_emplace(e.value, barrier.generation);
    if (it->second != barrier.generation) {
      return fail("thread {} enters generation #{} of barrier {}, which has opened already",
                  thread_name(e.thread), e.value - 1, barrier_name(e.barrier()));
    }
    barrier.ticket = e.value;
  }
  ThreadState& thread = thread_state(e.thread);
  thread.blocked = Blocked::at_barrier;
  thread.blocked_on = e.object;
  thread.barrier_generation = barrier.generation;
  e.value = barrier.generation;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::barrier_exit(Event e, std::vector<Event>& out) {
  ThreadState& thread = thread_state(e.thread);
  if (thread.blocked != Blocked::at_barrier || thread.blocked_on != e.object) {
    return fail("thread {} leaves barrier {}, which it has not entered", thread_name(e.thread),
                barrier_name(e.barrier()));
  }
  BarrierState& barrier = grow_to(barriers_, e.barrier());
  if (e.value != Event::kUnknown) {
    auto known = barrier.tickets.find(e.value);
    if (known == barrier.tickets.end() || known->second != thread.barrier_generation) {
      return fail("thread {} leaves generation #{} of barrier {}, but it entered another",
                  thread_name(e.thread), e.value - 1, barrier_name(e.barrier()));
    }
  }
  if (thread.barrier_generation == barrier.generation) barrier.opened = true;
  thread.blocked = Blocked::no;
  e.value = thread.barrier_generation;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::semaphore_post(Event e, std::vector<Event>& out) {
  SemaphoreState& semaphore = grow_to(semaphores_, e.semaphore());
  if (e.value != Event::kUnknown && !semaphore.tickets.emplace(e.value, e.index).second) {
    return fail("thread {} posts semaphore {} with ticket #{}, which is still in use",
                thread_name(e.thread), semaphore_name(e.semaphore()), e.value - 1);
  }
  semaphore.posts.push_back({e.index, e.value});
  e.value = 0;
  out.push_back(e);
  return {};
}

Result<void> Normalizer::semaphore_wait(Event e, std::vector<Event>& out) {
  SemaphoreState& semaphore = grow_to(semaphores_, e.semaphore());
  auto& posts = semaphore.posts;
  EventIndex partner = kNoEvent;
  if (e.value == Event::kUnknown) {
    // Oldest first; a down that finds no post was served by the initial count.
    if (!posts.empty()) {
      partner = posts.front().index;
      semaphore.tickets.erase(posts.front().ticket);
      posts.pop_front();
    }
  } else if (e.value != Event::kNoPartner) {
    auto found = semaphore.tickets.find(e.value);
    if (found == semaphore.tickets.end()) {
      return fail("thread {} decrements semaphore {} by ticket #{}, which no earlier post has left",
                  thread_name(e.thread), semaphore_name(e.semaphore()), e.value - 1);
    }
    partner = found->second;
    semaphore.tickets.erase(found);
  }
  while (!posts.empty() && semaphore.is_taken(posts.front())) posts.pop_front();
  e.value = static_cast<uint64_t>(partner);
  out.push_back(e);
  return {};
}

Result<void> Normalizer::block(const Event& e, std::vector<Event>& out) {
  ThreadState& thread = thread_state(e.thread);
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
  Life& life = grow_to(lives_, e.location());
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
  Life& life = grow_to(lives_, e.location());
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

}  // namespace foretell
