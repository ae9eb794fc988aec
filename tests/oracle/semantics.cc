// SPDX-License-Identifier: Apache-2.0

#include "semantics.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::oracle {

Semantics::Semantics(const trace::Trace& trace, trace::ReadDemand demand)
    : trace_(trace), demand_(demand) {
  const auto& events = trace.events;
  size_t threads = 0;
  for (const trace::Event& e : events) {
    threads = std::max(threads, to_index(e.thread) + 1);
    if (operands_of(e.kind) == trace::Operands::Thread) {
      threads = std::max(threads, to_index(e.other_thread()) + 1);
    }
  }
  threads_.resize(threads);
  for (Position p = 0; p < events.size(); ++p) {
    auto& mine = threads_[to_index(events[p].thread)];
    rank_.push_back(static_cast<uint32_t>(mine.size()));
    mine.push_back(p);
    const bool served = events[p].kind == trace::EventKind::WaitEnd ||
                        events[p].kind == trace::EventKind::SemaphoreWait;
    server_.push_back(served ? position_of(events[p].partner()) : std::nullopt);
  }

  // What the trace itself says, by walking it once with the same rules.
  writer_.resize(events.size());
  found_waiter_.resize(events.size());
  found_waits_.resize(events.size());
  State state = initial();
  for (Position p = 0; p < events.size(); ++p) {
    const trace::Event& e = events[p];
    if (is_read(e.kind)) writer_[p] = state.last_write[e.object];
    if (e.kind == trace::EventKind::NotifyOne) {
      found_waiter_[p] = somebody_waits_unnotified(state, e.condition());
    }
    if (e.kind == trace::EventKind::NotifyAll) {
      for (uint32_t t = 0; t < thread_count(); ++t) {
        if (waits_unnotified(state, ThreadId{t}, e.condition())) {
          found_waits_[p].insert(*current_wait(state, ThreadId{t}));
        }
      }
    }
    state = after(state, p);
  }
}

State Semantics::initial() const {
  return {.done = std::vector<uint32_t>(threads_.size()),
          .last_write = std::vector<std::optional<Position>>(trace_.cells.size()),
          .notified = std::vector<bool>(threads_.size()),
          .heard = std::vector<bool>(threads_.size())};
}

std::optional<Position> Semantics::position_of(EventIndex index) const {
  if (index == kNoEvent) return {};
  for (Position p = 0; p < trace_.events.size(); ++p) {
    if (trace_.events[p].index == index) return p;
  }
  CHECK(false && "a partner is an event of the trace");
  return {};
}

std::optional<Position> Semantics::next(const State& state, ThreadId thread) const {
  const auto& mine = events_of(thread);
  const uint32_t done = state.done[to_index(thread)];
  if (done == mine.size()) return {};
  return mine[done];
}

bool Semantics::happened(const State& state, Position p) const {
  return rank_[p] < state.done[to_index(event(p).thread)];
}

bool Semantics::thread_exists(const State& state, ThreadId thread) const {
  for (Position p = 0; p < size(); ++p) {
    if (event(p).kind == trace::EventKind::Fork && event(p).other_thread() == thread) {
      return happened(state, p);
    }
  }
  return true;
}

bool Semantics::allocated(const State& state, Position access) const {
  const auto alloc = position_of(trace_.cells[event(access).location()].alloc);
  return !alloc || happened(state, *alloc);
}

bool Semantics::frees_agree(const State& state, Position access,
                            std::span<const Position> excused) const {
  for (Position p = 0; p < size(); ++p) {
    if (event(p).kind != trace::EventKind::Free || event(p).object != event(access).object)
      continue;
    if (p == access || std::ranges::find(excused, p) != excused.end()) continue;
    if (happened(state, p) != (p < access)) return false;
  }
  return true;
}

Mode Semantics::held(const State& state, ThreadId thread, LockId lock) const {
  Mode mode = Mode::none;
  for (uint32_t i = 0; i < state.done[to_index(thread)]; ++i) {
    const trace::Event& e = event(events_of(thread)[i]);
    if (e.kind == trace::EventKind::WaitBegin || e.kind == trace::EventKind::WaitEnd ||
        operands_of(e.kind) == trace::Operands::Lock) {
      if (e.lock() != lock) continue;
      if (e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::WaitEnd)
        mode = Mode::exclusive;
      if (e.kind == trace::EventKind::AcquireShared) mode = Mode::shared;
      if (e.kind == trace::EventKind::Release || e.kind == trace::EventKind::ReleaseShared ||
          e.kind == trace::EventKind::WaitBegin) {
        mode = Mode::none;
      }
    }
  }
  return mode;
}

bool Semantics::somebody_holds(const State& state, LockId lock, Mode at_least) const {
  for (uint32_t t = 0; t < thread_count(); ++t) {
    if (held(state, ThreadId{t}, lock) >= at_least) return true;
  }
  return false;
}

std::optional<Position> Semantics::current_wait(const State& state, ThreadId thread) const {
  const uint32_t done = state.done[to_index(thread)];
  if (done == 0) return {};
  const Position last = events_of(thread)[done - 1];
  if (event(last).kind != trace::EventKind::WaitBegin) return {};
  return last;
}

bool Semantics::waits(const State& state, ThreadId thread) const {
  return current_wait(state, thread).has_value();
}

std::optional<Position> Semantics::wake_of(Position wait) const {
  const auto& mine = events_of(event(wait).thread);
  const uint32_t next = rank_[wait] + 1;
  if (next == mine.size()) return {};
  CHECK(event(mine[next]).kind == trace::EventKind::WaitEnd);
  return mine[next];
}

bool Semantics::waits_unnotified(const State& state, ThreadId thread, ConditionId condition) const {
  const auto wait = current_wait(state, thread);
  return wait && event(*wait).condition() == condition && !state.notified[to_index(thread)];
}

bool Semantics::somebody_waits_unnotified(const State& state, ConditionId condition) const {
  for (uint32_t t = 0; t < thread_count(); ++t) {
    if (waits_unnotified(state, ThreadId{t}, condition)) return true;
  }
  return false;
}

bool Semantics::all_happened(const State& state, trace::EventKind kind, BarrierId barrier,
                             uint64_t generation) const {
  for (Position p = 0; p < size(); ++p) {
    const trace::Event& e = event(p);
    if (e.kind == kind && e.barrier() == barrier && e.generation() == generation &&
        !happened(state, p)) {
      return false;
    }
  }
  return true;
}

bool Semantics::may_return(Position read, std::optional<Position> writer) const {
  if (writer == writer_[read]) return true;
  if (demand_ == trace::ReadDemand::same_writer) return false;
  if (demand_ == trace::ReadDemand::free) return event(read).kind == trace::EventKind::Read;
  const LocationId location = event(read).location();
  const auto value = known_value(read, true);
  if (!value || is_uncertain(location)) return false;
  if (writer) return same_value(read, *value, *writer);
  return initial_value(location) == value && !may_be_address(location, *value);
}

bool Semantics::may_be_address(LocationId location, uint64_t value) const {
  return size_of(location) == 8 && value >= 0x10000 && value < 0x8000'0000'0000;
}

// As a read or as a write; a read-modify-write is both.
std::optional<uint64_t> Semantics::known_value(Position access, bool read) const {
  const trace::Event& e = event(access);
  for (Position p = 0; p < size(); ++p) {
    if (p != access && event(p).index == e.index) return {};
  }
  const bool of_rmw = read && e.kind == trace::EventKind::AtomicRmw;
  if (of_rmw ? !e.has_read_value() : !e.has_value()) return {};
  uint64_t value = of_rmw ? e.read_value() : e.value;
  const uint64_t bytes = size_of(e.location());
  if (bytes > 0 && bytes < 8) value %= uint64_t{1} << (8 * bytes);
  if (may_be_address(e.location(), value) && !pointed_to(access, value)) return {};
  return value;
}

bool Semantics::same_value(Position read, uint64_t value, Position writer) const {
  const auto written = known_value(writer, false);
  // The same address in the same life is the same offset.
  return written == value && pointed_to(read, value) == pointed_to(writer, value);
}

// The allocation that a word points into.
std::optional<Position> Semantics::pointed_to(Position access, uint64_t value) const {
  if (!may_be_address(event(access).location(), value)) return {};
  std::optional<Position> last;
  for (Position p = 0; p < access; ++p) {
    if (event(p).kind != trace::EventKind::Alloc) continue;
    const trace::Location& memory = trace_.tables.locations[event(p).location()];
    if (memory.space != StringId{}) continue;
    if (value - memory.offset < std::max(memory.size, event(p).value)) last = p;
  }
  return last;
}

std::optional<uint64_t> Semantics::initial_value(LocationId location) const {
  std::optional<uint64_t> seen;
  for (Position p = 0; p < size(); ++p) {
    if (!is_read(event(p).kind) || event(p).location() != location || writer_[p]) continue;
    if (const auto value = known_value(p, true)) seen = value;
  }
  if (!trace_.tables.facts.has_unrecorded_writes) return seen;
  for (const trace::Location& zeros : trace_.tables.facts.zeroed) {
    if (zeros.space == trace_.cells[location].range.space && seen.value_or(0) == 0) return 0;
  }
  return {};
}

bool Semantics::is_uncertain(LocationId location) const {
  if (!trace_.tables.facts.has_unrecorded_writes) return false;
  for (Position p = 0; p < size(); ++p) {
    const trace::Event& e = event(p);
    if (!is_read(e.kind) || e.location() != location) continue;
    if (e.kind == trace::EventKind::AtomicRmw ? !e.has_read_value() : !e.has_value()) return true;
  }
  return false;
}

std::optional<std::string> Semantics::access_obstacle(const State& state, Position p) const {
  if (is_read(event(p).kind) && !may_return(p, state.last_write[event(p).object])) {
    return "it would see another write";
  }
  if (!allocated(state, p)) return "its location is not allocated yet";
  if (!frees_agree(state, p, {})) return "its location is freed here and not there";
  return {};
}

std::optional<std::string> Semantics::lock_obstacle(const State& state, Position p) const {
  const LockId lock = event(p).lock();
  switch (event(p).kind) {
    case trace::EventKind::Acquire:
      if (somebody_holds(state, lock, Mode::shared)) return "the lock is held";
      return {};
    case trace::EventKind::AcquireShared:
      if (somebody_holds(state, lock, Mode::exclusive)) return "the lock is held exclusively";
      return {};
    case trace::EventKind::TryFail:
      if (!somebody_holds(state, lock, Mode::shared)) return "the lock is free";
      return {};
    case trace::EventKind::TryFailShared:
      if (!somebody_holds(state, lock, Mode::exclusive)) return "nobody holds it exclusively";
      return {};
    default:
      return {};
  }
}

std::optional<std::string> Semantics::notify_obstacle(const State& state, Position p) const {
  const ConditionId condition = event(p).condition();
  for (Position wake = 0; wake < size(); ++wake) {
    if (server_[wake] != p || event(wake).kind != trace::EventKind::WaitEnd) continue;
    const Position wait = events_of(event(wake).thread)[rank_[wake] - 1];
    if (current_wait(state, event(wake).thread) == wait &&
        waits_unnotified(state, event(wake).thread, condition)) {
      return {};
    }
    if (!happened(state, wait) && !somebody_waits_unnotified(state, condition)) return {};
    return "it would serve another wait";
  }
  if (!somebody_waits_unnotified(state, condition) || found_waiter_[p]) return {};
  return "it would find a waiter, and found none";
}

std::optional<std::string> Semantics::notify_all_obstacle(const State& state, Position p) const {
  for (uint32_t t = 0; t < thread_count(); ++t) {
    if (!waits_unnotified(state, ThreadId{t}, event(p).condition())) continue;
    const Position wait = *current_wait(state, ThreadId{t});
    if (wake_of(wait) && !found_waits_[p].contains(wait))
      return "it would find a wait it did not find";
  }
  return {};
}

std::optional<std::string> Semantics::wake_obstacle(const State& state, Position p) const {
  if (server_[p] && !state.notified[to_index(event(p).thread)]) return "its notify has not come";
  if (somebody_holds(state, event(p).lock(), Mode::shared)) return "the lock is held";
  return {};
}

std::optional<std::string> Semantics::obstacle(const State& state, Position p) const {
  const trace::Event& e = event(p);
  CHECK(next(state, e.thread) == p);
  if (!thread_exists(state, e.thread)) return "its thread is not forked yet";
  switch (e.kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
    case trace::EventKind::Free:
      return access_obstacle(state, p);
    case trace::EventKind::Acquire:
    case trace::EventKind::AcquireShared:
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
      return lock_obstacle(state, p);
    case trace::EventKind::Join:
      if (!thread_exists(state, e.other_thread())) return "the thread it joins is not forked yet";
      for (Position last : events_of(e.other_thread())) {
        if (!happened(state, last)) return "the thread it joins has not finished";
      }
      return {};
    case trace::EventKind::NotifyOne:
      return notify_obstacle(state, p);
    case trace::EventKind::NotifyAll:
      return notify_all_obstacle(state, p);
    case trace::EventKind::WaitEnd:
      return wake_obstacle(state, p);
    case trace::EventKind::BarrierEnter:
      if (e.generation() > 0 &&
          !all_happened(state, trace::EventKind::BarrierEnter, e.barrier(), e.generation() - 1)) {
        return "the generation before has not filled";
      }
      return {};
    case trace::EventKind::BarrierExit:
      if (!all_happened(state, trace::EventKind::BarrierEnter, e.barrier(), e.generation())) {
        return "its generation has not filled";
      }
      return {};
    case trace::EventKind::SemaphoreWait:
      if (server_[p] && !happened(state, *server_[p])) return "its post has not come";
      return {};
    case trace::EventKind::Release:
    case trace::EventKind::ReleaseShared:
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
    case trace::EventKind::Fork:
    case trace::EventKind::WaitBegin:
    case trace::EventKind::SemaphorePost:
    case trace::EventKind::ThreadBegin:
    case trace::EventKind::ThreadEnd:
    case trace::EventKind::BlockBegin:
    case trace::EventKind::BlockEnd:
    case trace::EventKind::FunctionEnter:
    case trace::EventKind::FunctionExit:
    case trace::EventKind::Fence:
    case trace::EventKind::Branch:
    case trace::EventKind::Alloc:
    case trace::EventKind::User:
      return {};
  }
  return {};
}

State Semantics::after(const State& state, Position p) const {
  const trace::Event& e = event(p);
  State then = state;
  ++then.done[to_index(e.thread)];
  if (is_write(e.kind)) then.last_write[e.object] = p;
  if (e.kind == trace::EventKind::WaitEnd) {
    then.notified[to_index(e.thread)] = false;
    then.heard[to_index(e.thread)] = false;
  }
  if (e.kind == trace::EventKind::NotifyOne || e.kind == trace::EventKind::NotifyAll) {
    for (uint32_t t = 0; t < thread_count(); ++t) {
      const auto wait = current_wait(state, ThreadId{t});
      if (wait && event(*wait).condition() == e.condition()) then.heard[t] = true;
      const auto wake = wait ? wake_of(*wait) : std::nullopt;
      if (wake && server_[*wake] == p) then.notified[t] = true;
    }
  }
  return then;
}

std::optional<size_t> Semantics::first_wrong_step(std::span<const Position> order) const {
  State state = initial();
  for (size_t step = 0; step < order.size(); ++step) {
    const Position p = order[step];
    if (p >= size() || next(state, event(p).thread) != p || !enabled(state, p)) return step;
    state = after(state, p);
  }
  return {};
}

bool Semantics::is_reordering_of_itself() const {
  Interleaving identity(size());
  for (Position p = 0; p < size(); ++p) identity[p] = p;
  return !first_wrong_step(identity);
}

}  // namespace foretell::oracle
