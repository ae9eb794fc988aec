// SPDX-License-Identifier: Apache-2.0

#include "judge/trace_facts.h"

#include <algorithm>

#include "judge/excerpt.h"
#include "judge/machine.h"

namespace foretell::judge {

// The open sections of one lock, by the events that began them.
struct TraceFacts::LockWalk {
  Position exclusive = kNoPosition;
  std::vector<Position> shared;
};

TraceFacts::TraceFacts(const trace::Trace& normalized, const ReadRules& rules)
    : TraceFacts(normalized, 0, static_cast<Position>(normalized.events.size()), rules) {}

TraceFacts::TraceFacts(const Excerpt& excerpt)
    : TraceFacts(excerpt.trace, excerpt.begin, excerpt.end) {
  is_excerpt_ = true;
}

TraceFacts::TraceFacts(const trace::Trace& normalized, Position first, Position limit,
                       const ReadRules& rules)
    : trace(normalized), begins_at(first), ends_at(limit) {
  step.resize(size());
  partner.assign(size(), kNoPosition);
  match.assign(size(), kNoPosition);
  frees_before.resize(size());
  count_ids();
  walk();
  values = ReadValues(trace, partner, location_count(), rules);
  locks.finish();
  find_allocs();
  find_waiters();
  index_writes();
  needs = NeedClocks(*this);
  Machine recorded(*this);
  while (sound_until < ends_at && recorded.enabled(sound_until)) recorded.apply(sound_until++);
}

void TraceFacts::count_ids() {
  size_t threads = 0, locations = 0;
  auto cover = [](size_t& count, size_t id) { count = std::max(count, id + 1); };
  for (const trace::Event& e : trace.events) {
    cover(threads, to_index(e.thread));
    if (is_access(e.kind)) cover(locations, to_index(e.location()));
    switch (operands_of(e.kind)) {
      case trace::Operands::Thread:
        cover(threads, to_index(e.other_thread()));
        break;
      case trace::Operands::Lock:
        cover(lock_count, to_index(e.lock()));
        break;
      case trace::Operands::Wait:
      case trace::Operands::Wake:
        cover(lock_count, to_index(e.lock()));
        cover(condition_count, to_index(e.condition()));
        break;
      case trace::Operands::Notify:
        cover(condition_count, to_index(e.condition()));
        break;
      case trace::Operands::None:
      case trace::Operands::Access:
      case trace::Operands::Atomic:
      case trace::Operands::AtomicRmw:
      case trace::Operands::Order:
      case trace::Operands::Label:
      case trace::Operands::Barrier:
      case trace::Operands::Post:
      case trace::Operands::Down:
      case trace::Operands::Function:
      case trace::Operands::Branch:
      case trace::Operands::Alloc:
      case trace::Operands::Free:
      case trace::Operands::User:
        break;
    }
  }
  events_of.resize(threads);
  fork_of.assign(threads, kNoPosition);
  first_ambiguous.assign(threads, ~uint32_t{0});
  alloc_of.assign(locations, kNoPosition);
}

void TraceFacts::walk() {
  std::vector<Position> last_write(location_count(), kNoPosition);
  std::vector<LockWalk> open(lock_count);
  for (Position p = 0; p < size(); ++p) {
    const trace::Event& e = event(p);
    std::vector<Position>& mine = events_of[to_index(e.thread)];
    step[p] = static_cast<uint32_t>(mine.size());
    mine.push_back(p);

    if (is_access(e.kind)) {
      if (is_read(e.kind)) {
        if (e.is_ambiguous()) {
          has_ambiguous_reads = true;
          uint32_t& first = first_ambiguous[to_index(e.thread)];
          first = std::min(first, step[p]);
        }
        partner[p] = e.is_ambiguous() ? kUnknownWriter : last_write[to_index(e.location())];
      }
      if (is_write(e.kind)) last_write[to_index(e.location())] = p;
      if (auto frees = frees_of.find(e.location()); frees != frees_of.end()) {
        frees_before[p] = static_cast<uint32_t>(frees->second.size());
      }
      if (e.kind == trace::EventKind::Free) frees_of[e.location()].push_back(p);
    } else if (e.kind == trace::EventKind::Fork) {
      fork_of[to_index(e.other_thread())] = p;
    } else if (e.kind == trace::EventKind::BarrierEnter) {
      enters_[{e.barrier(), e.generation()}].push_back(p);
      all_enters_[e.barrier()].push_back(p);
    } else if (e.kind == trace::EventKind::SemaphorePost) {
      posts_[e.semaphore()].push_back(p);
    } else if (e.kind == trace::EventKind::NotifyOne || e.kind == trace::EventKind::NotifyAll) {
      notifies_[e.condition()].push_back(p);
    } else if (e.kind == trace::EventKind::SemaphoreWait) {
      downs_[e.semaphore()].push_back(p);
      if (e.partner() != kNoEvent) {
        partner[p] = position_of(e.partner());
        partner[partner[p]] = p;
      }
    } else if (e.kind == trace::EventKind::WaitEnd && e.partner() != kNoEvent) {
      partner[p] = position_of(e.partner());
      if (event(partner[p]).kind == trace::EventKind::NotifyOne) partner[partner[p]] = p;
    }

    const trace::Operands operands = operands_of(e.kind);
    if (operands == trace::Operands::Wait || operands == trace::Operands::Wake ||
        operands == trace::Operands::Notify) {
      condition_events_.push_back(p);
    }
    if (operands == trace::Operands::Wait || operands == trace::Operands::Wake ||
        operands == trace::Operands::Lock) {
      walk_lock(e, p, open[to_index(e.lock())]);
    }
  }
}

void TraceFacts::walk_lock(const trace::Event& e, Position p, LockWalk& lock) {
  const size_t thread = to_index(e.thread);
  auto close = [&](Position begin) {
    match[p] = begin;
    match[begin] = p;
    locks.end(e.lock(), begins_exclusive(event(begin).kind), thread, step[p], p, begin);
  };
  if (begins_section(e.kind)) {
    locks.begin(e.lock(), begins_exclusive(e.kind), thread, step[p], p);
  }
  auto of_this_thread = [&](Position begin) { return event(begin).thread == e.thread; };
  if (begins_exclusive(e.kind)) {
    lock.exclusive = p;
  } else if (e.kind == trace::EventKind::AcquireShared) {
    lock.shared.push_back(p);
  } else if (e.kind == trace::EventKind::ReleaseShared) {
    auto mine = std::ranges::find_if(lock.shared, of_this_thread);
    close(*mine);
    lock.shared.erase(mine);
  } else if (ends_section(e.kind)) {
    close(lock.exclusive);
    lock.exclusive = kNoPosition;
  } else if (e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared) {
    if (lock.exclusive != kNoPosition) {
      partner[p] = lock.exclusive;
    } else {
      auto mine = std::ranges::find_if(lock.shared, of_this_thread);
      partner[p] = mine != lock.shared.end() ? *mine : lock.shared.front();
    }
  }
}

void TraceFacts::find_allocs() {
  for (uint32_t i = 0; i < location_count() && i < trace.cells.size(); ++i) {
    const EventIndex alloc = trace.cells[LocationId{i}].alloc;
    if (alloc != kNoEvent) alloc_of[i] = position_of(alloc);
  }
}

void TraceFacts::find_waiters() {
  std::vector<std::vector<Position>> waits(condition_count);
  for (Position p : condition_events_) {
    const trace::Event& e = event(p);
    std::vector<Position>& unnotified = waits[to_index(e.condition())];
    if (e.kind == trace::EventKind::WaitBegin) {
      unnotified.push_back(p);
    } else if (e.kind == trace::EventKind::WaitEnd) {
      std::erase(unnotified, wait_of(p));
    } else {
      if (!unnotified.empty()) found_waiter.insert(p);
      std::erase_if(unnotified, [&](Position wait) {
        const Position wake = wake_of(wait);
        return wake != kNoPosition && partner[wake] == p;
      });
    }
  }
}

void TraceFacts::index_writes() {
  first_write_.resize(location_count() + 1);
  for (const trace::Event& e : trace.events) {
    if (is_write(e.kind)) ++first_write_[to_index(e.location()) + 1];
  }
  for (size_t i = 0; i < location_count(); ++i) first_write_[i + 1] += first_write_[i];
  writes_.resize(first_write_.back());
  std::vector<uint32_t> fill(first_write_.begin(), first_write_.end() - 1);
  for (Position p = 0; p < size(); ++p) {
    if (is_write(event(p).kind)) writes_[fill[to_index(event(p).location())]++] = p;
  }
}

uint32_t TraceFacts::steps_before(Position p, size_t thread) const {
  const std::vector<Position>& events = events_of[thread];
  return static_cast<uint32_t>(std::ranges::lower_bound(events, p) - events.begin());
}

std::vector<uint32_t> TraceFacts::steps_before(Position p) const {
  std::vector<uint32_t> steps(thread_count());
  if (p == 0) return steps;
  for (size_t t = 0; t < steps.size(); ++t) steps[t] = steps_before(p, t);
  return steps;
}

std::span<const Position> TraceFacts::writes_of(LocationId location) const {
  const uint32_t begin = first_write_[to_index(location)];
  return std::span(writes_).subspan(begin, first_write_[to_index(location) + 1] - begin);
}

Position TraceFacts::last_write_before(LocationId location, Position p) const {
  if (p == 0) return kNoPosition;
  const std::span<const Position> writes = writes_of(location);
  const auto after = std::ranges::lower_bound(writes, p);
  return after == writes.begin() ? kNoPosition : *std::prev(after);
}

uint32_t TraceFacts::frees_of_before(LocationId location, Position p) const {
  if (frees_of.empty()) return 0;
  auto frees = frees_of.find(location);
  if (frees == frees_of.end()) return 0;
  return static_cast<uint32_t>(std::ranges::lower_bound(frees->second, p) - frees->second.begin());
}

std::span<const Position> TraceFacts::enters(BarrierId barrier, uint64_t generation) const {
  auto it = enters_.find({barrier, generation});
  return it == enters_.end() ? std::span<const Position>{} : std::span(it->second);
}

std::span<const Position> TraceFacts::helpers(Position p) const {
  const trace::Event& e = event(p);
  auto listed = [](const auto& map, auto id) {
    auto it = map.find(id);
    return it == map.end() ? std::span<const Position>{} : std::span<const Position>(it->second);
  };
  if (e.kind == trace::EventKind::SemaphoreWait) return listed(posts_, e.semaphore());
  if (e.kind == trace::EventKind::BarrierExit) return listed(all_enters_, e.barrier());
  if (e.kind == trace::EventKind::WaitEnd) return listed(notifies_, e.condition());
  return {};
}

std::span<const Position> TraceFacts::downs(SemaphoreId semaphore) const {
  auto it = downs_.find(semaphore);
  return it == downs_.end() ? std::span<const Position>{} : std::span(it->second);
}

Position TraceFacts::wait_of(Position wake) const {
  return events_of[thread_index(wake)][step[wake] - 1];
}

Position TraceFacts::wake_of(Position wait) const {
  return is_last_of_thread(wait) ? kNoPosition : events_of[thread_index(wait)][step[wait] + 1];
}

bool TraceFacts::waited_unnotified(Position wait, Position notify) const {
  if (notify < wait) return false;
  const Position wake = wake_of(wait);
  if (wake == kNoPosition) return true;
  return notify <= (partner[wake] == kNoPosition ? wake : partner[wake]);
}

Position TraceFacts::position_of(EventIndex index) const {
  auto it = std::ranges::lower_bound(trace.events, index, {}, &trace::Event::index);
  return static_cast<Position>(it - trace.events.begin());
}

}  // namespace foretell::judge
