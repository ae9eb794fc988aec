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

std::optional<trace::EventKind> RandomProgram::forced(uint32_t thread) const {
  const Thread& me = threads_[thread];
  if (me.wait) return trace::EventKind::WaitEnd;
  if (me.barrier) return trace::EventKind::BarrierExit;
  if (me.request)
    return me.request->shared ? trace::EventKind::AcquireShared : trace::EventKind::Acquire;
  return {};
}

std::optional<trace::Event> RandomProgram::attempt(trace::EventKind kind, uint32_t thread) {
  Thread& me = threads_[thread];
  if (!me.exists || me.ended || me.joined) return {};
  if (const auto only = forced(thread); only && *only != kind) return {};
  if (kind == trace::EventKind::ThreadBegin && me.acted) return {};

  trace::Event e{.kind = kind, .thread = ThreadId{thread}};
  if (dice_.one_in(8)) e.site = SiteId{dice_.below(40)};
  std::optional<trace::Event> done;
  switch (kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
      done = access(e);
      break;
    case trace::EventKind::Acquire:
    case trace::EventKind::AcquireShared:
      done = acquire(e);
      break;
    case trace::EventKind::Release:
    case trace::EventKind::ReleaseShared:
      done = release(e);
      break;
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
      done = request(e);
      break;
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
      done = try_fail(e);
      break;
    case trace::EventKind::Fork:
    case trace::EventKind::Join:
      done = fork_or_join(e);
      break;
    case trace::EventKind::WaitBegin:
      done = wait(e);
      break;
    case trace::EventKind::WaitEnd:
      done = wake(e);
      break;
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
      done = notify(e);
      break;
    case trace::EventKind::BarrierEnter:
      done = enter(e);
      break;
    case trace::EventKind::BarrierExit:
      done = leave(e);
      break;
    case trace::EventKind::SemaphorePost:
      done = post(e);
      break;
    case trace::EventKind::SemaphoreWait:
      done = down(e);
      break;
    case trace::EventKind::BlockBegin:
    case trace::EventKind::BlockEnd:
    case trace::EventKind::FunctionEnter:
    case trace::EventKind::FunctionExit:
      done = nesting(e);
      break;
    case trace::EventKind::Alloc:
    case trace::EventKind::Free:
      done = life(e);
      break;
    case trace::EventKind::ThreadEnd:
      done = exit(e);
      break;
    case trace::EventKind::Fence:
      e.order = MemoryOrder{static_cast<uint8_t>(dice_.below(6))};
      done = e;
      break;
    case trace::EventKind::Branch:
      if (dice_.one_in(2)) {
        e.flags = trace::Event::kHasValue;
        e.value = dice_.below(2);
      }
      done = e;
      break;
    case trace::EventKind::User:
      e.object = dice_.below(kUserEvents.size());
      e.extra = dice_.below(kArguments.size());
      done = e;
      break;
    case trace::EventKind::ThreadBegin:
      done = e;
      break;
  }
  if (done) me.acted = true;
  if (done && shape_.limits && may_wait(kind) && kind != trace::EventKind::BarrierExit &&
      dice_.one_in(8)) {
    done->flags |= trace::kLimited;
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

std::optional<trace::Event> RandomProgram::access(trace::Event e) {
  e.object = any_location();
  const uint64_t size = kLocations[e.object].size;
  const bool values = shape_.values ? !dice_.one_in(8) : dice_.one_in(3);
  const auto seen = load(e.object);
  std::optional<uint64_t> stored;
  if (values) {
    stored = size == 4 && dice_.one_in(2) ? 0x01020304 : dice_.below(shape_.values ? 2 : 3);
    if (size == 0 && dice_.one_in(8)) stored = ~uint64_t{0};
  }
  if (is_atomic_access(e.kind)) e.order = MemoryOrder{static_cast<uint8_t>(dice_.below(6))};
  if (e.kind == trace::EventKind::AtomicRmw) {
    if (!seen) stored = {};  // the text has both values or none
    if (stored) {
      e.flags = trace::Event::kHasValue | trace::Event::kHasReadValue;
      e.extra = *seen;
      e.value = *stored;
    }
  } else if (is_write(e.kind) ? values : values && seen.has_value()) {
    e.flags = trace::Event::kHasValue;
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

std::optional<trace::Event> RandomProgram::acquire(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  e.object = me.request ? me.request->lock : any_lock();
  const bool mine = me.exclusive.contains(e.object);
  if (e.kind == trace::EventKind::AcquireShared) {
    if (held_exclusively(e.object)) return {};
    ++me.shared[e.object];
  } else {
    if (held(e.object) && !mine) return {};
    ++me.exclusive[e.object];
  }
  me.request = {};
  return e;
}

std::optional<trace::Event> RandomProgram::release(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  auto& depths = e.kind == trace::EventKind::ReleaseShared ? me.shared : me.exclusive;
  if (depths.empty()) return {};
  e.object = std::next(depths.begin(), dice_.below(depths.size()))->first;
  drop_one(depths, e.object);
  return e;
}

std::optional<trace::Event> RandomProgram::request(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  e.object = any_lock();
  const bool shared = e.kind == trace::EventKind::RequestShared;
  // It would ask for what it can never get.
  if (shared ? me.exclusive.contains(e.object) : me.shared.contains(e.object)) return {};
  me.request = Request{e.object, shared};
  return e;
}

std::optional<trace::Event> RandomProgram::try_fail(trace::Event e) {
  e.object = any_lock();
  const bool fails =
      e.kind == trace::EventKind::TryFail ? held(e.object) : held_exclusively(e.object);
  if (!fails) return {};
  return e;
}

std::optional<trace::Event> RandomProgram::fork_or_join(trace::Event e) {
  e.object = dice_.below(shape_.threads);
  Thread& other = threads_[e.object];
  if (e.object == to_index(e.thread)) return {};
  if (e.kind == trace::EventKind::Fork) {
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

std::optional<trace::Event> RandomProgram::nesting(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  const bool block = e.kind == trace::EventKind::BlockBegin || e.kind == trace::EventKind::BlockEnd;
  auto& stack = block ? me.blocks : me.calls;
  if (e.kind == trace::EventKind::BlockBegin || e.kind == trace::EventKind::FunctionEnter) {
    e.object = dice_.below(block ? kLabels.size() : kFunctions.size());
    stack.push_back(e.object);
    return e;
  }
  if (stack.empty()) return {};
  e.object = stack.back();
  stack.pop_back();
  return e;
}

std::optional<trace::Event> RandomProgram::life(trace::Event e) {
  e.object = dice_.one_in(2) ? kHeap : kNode;
  const auto before = live_.find(e.object);
  const bool live = before != live_.end() && before->second;
  const bool freed = before != live_.end() && !before->second;
  if (e.kind == trace::EventKind::Alloc ? live : freed) return {};
  live_[e.object] = e.kind == trace::EventKind::Alloc;
  if (e.kind == trace::EventKind::Alloc) {
    store(e.object, {});
    if (dice_.one_in(2)) {
      e.flags = trace::Event::kHasValue;
      e.value = 8;
    }
  }
  return e;
}

std::optional<trace::Event> RandomProgram::exit(trace::Event e) {
  Thread& me = threads_[to_index(e.thread)];
  if (!me.exclusive.empty() || !me.shared.empty()) return {};
  me.ended = true;
  return e;
}

}  // namespace foretell::oracle
