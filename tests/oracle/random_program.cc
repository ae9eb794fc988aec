// SPDX-License-Identifier: Apache-2.0

#include "random_program.h"

#include <algorithm>

#include "trace/waiting.h"

namespace foretell::oracle {
namespace {

void drop_one(std::map<uint32_t, uint32_t>& depths, uint32_t lock) {
  if (--depths[lock] == 0) depths.erase(lock);
}

}  // namespace

RandomProgram::RandomProgram(const Shape& shape, Dice& dice) : shape_(shape), dice_(dice) {
  threads_.resize(shape.threads);
  for (uint32_t t = 0; t < shape.threads; ++t) {
    threads_[t].exists = t == 0 || shape.all_threads_exist || dice.one_in(2);
  }
  for (size_t i = 0; i < kConditions.size(); ++i) with_tickets_.push_back(dice.one_in(2));
  for (size_t i = 0; i < kBarriers.size(); ++i) {
    barriers_.push_back({.parties = 2 + (shape.threads > 2 ? dice.below(2) : 0),
                         .explicit_generations = dice.one_in(2)});
  }
  for (size_t i = 0; i < kSemaphores.size(); ++i) {
    semaphores_.push_back({.initial = dice.below(3)});
  }
}

std::optional<EventKind> RandomProgram::forced(uint32_t thread) const {
  const Thread& me = threads_[thread];
  if (me.wait) return EventKind::WaitEnd;
  if (me.barrier) return EventKind::BarrierExit;
  if (me.request) return me.request->shared ? EventKind::AcquireShared : EventKind::Acquire;
  return {};
}

std::optional<Event> RandomProgram::attempt(EventKind kind, uint32_t thread) {
  Thread& me = threads_[thread];
  if (!me.exists || me.ended || me.joined) return {};
  if (const auto only = forced(thread); only && *only != kind) return {};
  if (kind == EventKind::ThreadBegin && me.acted) return {};

  Event e{.kind = kind, .thread = ThreadId{thread}};
  if (dice_.one_in(8)) e.site = SiteId{dice_.below(40)};
  std::optional<Event> done;
  switch (kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
      done = access(e);
      break;
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      done = acquire(e);
      break;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      done = release(e);
      break;
    case EventKind::Request:
    case EventKind::RequestShared:
      done = request(e);
      break;
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      done = try_fail(e);
      break;
    case EventKind::Fork:
    case EventKind::Join:
      done = fork_or_join(e);
      break;
    case EventKind::WaitBegin:
      done = wait(e);
      break;
    case EventKind::WaitEnd:
      done = wake(e);
      break;
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      done = notify(e);
      break;
    case EventKind::BarrierEnter:
      done = enter(e);
      break;
    case EventKind::BarrierExit:
      done = leave(e);
      break;
    case EventKind::SemaphorePost:
      done = post(e);
      break;
    case EventKind::SemaphoreWait:
      done = down(e);
      break;
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
      done = nesting(e);
      break;
    case EventKind::Alloc:
    case EventKind::Free:
      done = life(e);
      break;
    case EventKind::ThreadEnd:
      done = exit(e);
      break;
    case EventKind::Fence:
      e.order = MemoryOrder{static_cast<uint8_t>(dice_.below(6))};
      done = e;
      break;
    case EventKind::Branch:
      if (dice_.one_in(2)) {
        e.flags = Event::kHasValue;
        e.value = dice_.below(2);
      }
      done = e;
      break;
    case EventKind::User:
      e.object = dice_.below(kUserEvents.size());
      e.extra = dice_.below(kArguments.size());
      done = e;
      break;
    case EventKind::ThreadBegin:
      done = e;
      break;
  }
  if (done) me.acted = true;
  if (done && shape_.limits && may_wait(kind) && kind != EventKind::BarrierExit &&
      dice_.one_in(8)) {
    done->flags |= kLimited;
  }
  return done;
}

std::optional<uint64_t> RandomProgram::load(uint32_t location) const {
  const auto& [space, offset, size] = kLocations[location];
  uint64_t value = 0;
  for (uint64_t i = 0; i < std::max<uint64_t>(size, 1); ++i) {
    const auto byte = memory_.find({space, offset + i});
    if (byte == memory_.end()) continue;
    if (!byte->second) return {};
    value |= *byte->second << (8 * i);
  }
  return value;
}

void RandomProgram::store(uint32_t location, std::optional<uint64_t> value) {
  const auto& [space, offset, size] = kLocations[location];
  if (size == 0) memory_[{space, offset}] = value;
  for (uint64_t i = 0; i < size; ++i) {
    auto& byte = memory_[{space, offset + i}];
    byte = value;
    if (byte) byte = (*value >> (8 * i)) & 0xff;
  }
}

std::optional<Event> RandomProgram::access(Event e) {
  e.object = any_location();
  const uint64_t size = kLocations[e.object].size;
  const bool values = dice_.one_in(3);
  const auto seen = load(e.object);
  std::optional<uint64_t> stored;
  if (values) {
    stored = size == 4 && dice_.one_in(2) ? 0x01020304 : dice_.below(3);
    if (size == 0 && dice_.one_in(8)) stored = ~uint64_t{0};
  }
  if (is_atomic_access(e.kind)) e.order = MemoryOrder{static_cast<uint8_t>(dice_.below(6))};
  if (e.kind == EventKind::AtomicRmw) {
    if (!seen) stored = {};  // the text has both values or none
    if (stored) {
      e.flags = Event::kHasValue | Event::kHasReadValue;
      e.extra = *seen;
      e.value = *stored;
    }
  } else if (is_write(e.kind) ? values : values && seen.has_value()) {
    e.flags = Event::kHasValue;
    e.value = is_write(e.kind) ? *stored : *seen;
  }
  if (is_write(e.kind)) store(e.object, stored);
  return e;
}

bool RandomProgram::held_exclusively(uint32_t lock) const {
  return std::ranges::any_of(threads_, [&](const Thread& t) { return t.exclusive.contains(lock); });
}

bool RandomProgram::held(uint32_t lock) const {
  return held_exclusively(lock) ||
         std::ranges::any_of(threads_, [&](const Thread& t) { return t.shared.contains(lock); });
}

std::optional<Event> RandomProgram::acquire(Event e) {
  Thread& me = threads_[to_index(e.thread)];
  e.object = me.request ? me.request->lock : any_lock();
  const bool mine = me.exclusive.contains(e.object);
  if (e.kind == EventKind::AcquireShared) {
    if (held_exclusively(e.object)) return {};
    ++me.shared[e.object];
  } else {
    if (held(e.object) && !mine) return {};
    ++me.exclusive[e.object];
  }
  me.request = {};
  return e;
}

std::optional<Event> RandomProgram::release(Event e) {
  Thread& me = threads_[to_index(e.thread)];
  auto& depths = e.kind == EventKind::ReleaseShared ? me.shared : me.exclusive;
  if (depths.empty()) return {};
  e.object = std::next(depths.begin(), dice_.below(depths.size()))->first;
  drop_one(depths, e.object);
  return e;
}

std::optional<Event> RandomProgram::request(Event e) {
  Thread& me = threads_[to_index(e.thread)];
  e.object = any_lock();
  const bool shared = e.kind == EventKind::RequestShared;
  // It would ask for what it can never get.
  if (shared ? me.exclusive.contains(e.object) : me.shared.contains(e.object)) return {};
  me.request = Request{e.object, shared};
  return e;
}

std::optional<Event> RandomProgram::try_fail(Event e) {
  e.object = any_lock();
  const bool fails = e.kind == EventKind::TryFail ? held(e.object) : held_exclusively(e.object);
  if (!fails) return {};
  return e;
}

std::optional<Event> RandomProgram::fork_or_join(Event e) {
  e.object = dice_.below(shape_.threads);
  Thread& other = threads_[e.object];
  if (e.object == to_index(e.thread)) return {};
  if (e.kind == EventKind::Fork) {
    if (other.exists) return {};
    other.exists = other.forked = true;
    return e;
  }
  if (!other.exists || other.joined || other.wait || other.barrier) return {};
  // A thread that nobody forked is known by its events only.
  if (!other.acted && !other.forked) return {};
  other.joined = true;
  return e;
}

std::optional<Event> RandomProgram::nesting(Event e) {
  Thread& me = threads_[to_index(e.thread)];
  const bool block = e.kind == EventKind::BlockBegin || e.kind == EventKind::BlockEnd;
  auto& stack = block ? me.blocks : me.calls;
  if (e.kind == EventKind::BlockBegin || e.kind == EventKind::FunctionEnter) {
    e.object = dice_.below(block ? kLabels.size() : kFunctions.size());
    stack.push_back(e.object);
    return e;
  }
  if (stack.empty()) return {};
  e.object = stack.back();
  stack.pop_back();
  return e;
}

std::optional<Event> RandomProgram::life(Event e) {
  e.object = dice_.one_in(2) ? kHeap : kNode;
  const auto before = live_.find(e.object);
  const bool live = before != live_.end() && before->second;
  const bool freed = before != live_.end() && !before->second;
  if (e.kind == EventKind::Alloc ? live : freed) return {};
  live_[e.object] = e.kind == EventKind::Alloc;
  if (e.kind == EventKind::Alloc) {
    store(e.object, {});
    if (dice_.one_in(2)) {
      e.flags = Event::kHasValue;
      e.value = 8;
    }
  }
  return e;
}

std::optional<Event> RandomProgram::exit(Event e) {
  Thread& me = threads_[to_index(e.thread)];
  if (!me.exclusive.empty() || !me.shared.empty()) return {};
  me.ended = true;
  return e;
}

}  // namespace foretell::oracle
