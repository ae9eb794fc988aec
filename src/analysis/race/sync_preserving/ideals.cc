// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/ideals.h"

#include <algorithm>

#include "base/check.h"
#include "trace/event_match.h"

namespace foretell::analysis {
namespace {

size_t rounded_up(size_t components) {
  return (components + StepClocks::kBlock - 1) / StepClocks::kBlock * StepClocks::kBlock;
}

}  // namespace

Ideals::Ideals(const Sharing& sharing, const AnalysisOptions& options, SyncOrder order)
    : sharing_(sharing),
      keeps_order_(order == SyncOrder::kept),
      allocation_of_(options.allocation_of),
      may_read_another_(options.may_read_another),
      never_(sharing.thread_count()),
      clocks_(never_ + 1),
      threads_(never_),
      held_(1),
      places_(sharing.place_count()) {
  work_.steps.resize(rounded_up(never_ + 1));
  work_.is_raised.resize(never_ + 1);
  work_.joined.resize(clocks_.blocks_per_clock());
}

void Ideals::on_sync(const trace::Event& e) {
  const auto thread = static_cast<uint32_t>(e.thread);
  using enum trace::EventKind;
  match(
      e.kind,
      trace::Cases{
          trace::on<trace::EventClass::acquire>([&] {
            const Mode mode = e.kind == Acquire ? Mode::exclusive : Mode::shared;
            if (sharing_.is_shared(e.lock())) begin_section(e, mode);
          }),
          trace::on<trace::kReleases>([&] {
            if (sharing_.is_shared(e.lock())) end_section(e);
          }),
          trace::on<trace::kFailedTries>([&] {
            if (keeps_order_ && sharing_.is_shared(e.lock())) failed_try(e);
          }),
          trace::on<Fork>([&] { need(static_cast<uint32_t>(e.other_thread()), end_step(thread)); }),
          trace::on<Join>([&] { need(thread, end_step(static_cast<uint32_t>(e.other_thread()))); }),
          trace::on<WaitBegin>([&] { wait_begin(e); }),
          trace::on<WaitEnd>([&] { wait_end(e); }),
          trace::on<trace::kNotifies>([&] { notify(e); }),
          trace::on<BarrierEnter>([&] { barrier_enter(e); }),
          trace::on<BarrierExit>([&] { barrier_exit(e); }),
          trace::on<SemaphorePost>([&] { posts_.emplace(e.index, end_step(thread)); }),
          trace::on<SemaphoreWait>([&] {
            const auto post = posts_.find(e.partner());
            if (post == posts_.end()) return;
            need(thread, post->second);
            posts_.erase(post);
          }),
          trace::on<Alloc>([&] {
            if (sharing_.is_needed_elsewhere(e.index))
              allocations_.emplace(e.index, end_step(thread));
          }),
          trace::ignored<trace::kAccesses, Fence, trace::kRequests, trace::kRemarks>,
      });
}

Ideals::Point Ideals::end_step(uint32_t thread) {
  Thread& t = threads_[thread];
  CHECK(t.done < UINT32_MAX - 1);
  ++t.done;
  t.held_after.push_back(t.held);
  return {t.clock, thread, t.done};
}

uint32_t Ideals::push(Held held) {
  CHECK(held_.size() < UINT32_MAX);
  held_.push_back(held);
  return static_cast<uint32_t>(held_.size() - 1);
}

// The list without its entry of `lock`, whose index goes to `index`.
uint32_t Ideals::without(uint32_t list, uint32_t lock, uint32_t& index) {
  const Held first = held_[list];
  CHECK(list != 0);
  if (first.mode != Mode::waiting && first.lock == lock) {
    index = first.index;
    return first.outer;
  }
  return push({without(first.outer, lock, index), first.index, first.lock, first.mode});
}

void Ideals::begin_section(const trace::Event& e, Mode mode) {
  Thread& thread = thread_of(e);
  const auto lock = static_cast<uint32_t>(e.lock());
  uint32_t index = 0;
  if (keeps_order_) {
    keep_order_of_sections(e);
    index = locks_[e.lock()].add({.thread = static_cast<uint32_t>(e.thread) & 0x7fff'ffff,
                                  .shared = mode == Mode::shared,
                                  .begin = thread.done + 1,
                                  .end = 0,
                                  .clock = thread.clock});
  }
  thread.held = push({thread.held, index, lock & 0x3fff'ffff, mode});
  end_step(static_cast<uint32_t>(e.thread));
}

// The new section comes after those of its lock that are open in the thread's ideal: they end.
void Ideals::keep_order_of_sections(const trace::Event& e) {
  Thread& thread = thread_of(e);
  const bool shared = e.kind == trace::EventKind::AcquireShared;
  auto excludes = [&](const Open& open) {
    const Held& held = held_[open.held];
    return held.mode != Mode::waiting && LockId{held.lock} == e.lock() &&
           !(shared && held.mode == Mode::shared);
  };
  // What an end needs may hold the lock in turn.
  for (;;) {
    auto open = std::ranges::find_if(thread.open, excludes);
    if (open == thread.open.end()) return;
    const Section& section = locks_[e.lock()][held_[open->held].index];
    need(static_cast<uint32_t>(e.thread), {section.clock, section.thread, section.end});
  }
}

void Ideals::end_section(const trace::Event& e) {
  Thread& thread = thread_of(e);
  uint32_t index = 0;
  thread.held = without(thread.held, static_cast<uint32_t>(e.lock()), index);
  const Point end = end_step(static_cast<uint32_t>(e.thread));
  if (keeps_order_) locks_[e.lock()].end(index, end.step, end.clock);
}

// The section because of which it failed: the exclusive one, the thread's own, or the oldest.
void Ideals::failed_try(const trace::Event& e) {
  uint32_t oldest = UINT32_MAX;
  for (const Thread& thread : threads_) {
    for (uint32_t list = thread.held; list != 0; list = held_[list].outer) {
      const Held& held = held_[list];
      if (held.mode == Mode::waiting || LockId{held.lock} != e.lock()) continue;
      if (&thread == &thread_of(e)) return;
      oldest = std::min(oldest, uint32_t{held.index});
    }
  }
  CHECK(oldest != UINT32_MAX);
  const Section& section = locks_[e.lock()][oldest];
  need(static_cast<uint32_t>(e.thread), {section.clock, section.thread, section.begin});
}

void Ideals::wait_begin(const trace::Event& e) {
  Thread& thread = thread_of(e);
  const bool shared_lock = sharing_.is_shared(e.lock());
  uint32_t index = 0;
  if (shared_lock) thread.held = without(thread.held, static_cast<uint32_t>(e.lock()), index);
  thread.wait = static_cast<uint32_t>(waits_.size());
  if (keeps_order_) thread.held = push({thread.held, thread.wait, 0, Mode::waiting});
  const Point point = end_step(static_cast<uint32_t>(e.thread));
  if (keeps_order_ && shared_lock) locks_[e.lock()].end(index, point.step, point.clock);
  waits_.push_back({.condition = static_cast<uint32_t>(e.condition()),
                    .server = sharing_.server_of(waits_.size()),
                    .begin = point,
                    .end = {},
                    .notifies_by_then = 0});
  conditions_[e.condition()].unnotified.push_back(thread.wait);
}

void Ideals::wait_end(const trace::Event& e) {
  Thread& thread = thread_of(e);
  const auto self = static_cast<uint32_t>(e.thread);
  Wait& wait = waits_[thread.wait];
  if (keeps_order_) thread.held = held_[thread.held].outer;
  if (e.partner() != kNoEvent) need(self, wait.end);
  if (sharing_.is_shared(e.lock())) {
    begin_section(e, Mode::exclusive);
  } else {
    end_step(self);
  }
  if (e.partner() == kNoEvent) {
    wait.end = {thread.clock, self, thread.done};
    Condition& condition = conditions_[e.condition()];
    wait.notifies_by_then = condition.notifies.size();
    std::erase(condition.unnotified, thread.wait);
  }
}

void Ideals::need_notify(const trace::Event& wake) {
  if (wake.partner() != kNoEvent) {
    need(static_cast<uint32_t>(wake.thread), waits_[thread_of(wake).wait].end);
  }
}

void Ideals::notify(const trace::Event& e) {
  const auto self = static_cast<uint32_t>(e.thread);
  Condition& condition = conditions_[e.condition()];
  auto is_served = [&](uint32_t wait) { return waits_[wait].server == e.index; };
  if (keeps_order_) {
    if (e.kind == trace::EventKind::NotifyOne && condition.unnotified.size() > 1) {
      auto chosen = std::ranges::find_if(condition.unnotified, is_served);
      if (chosen != condition.unnotified.end()) need(self, waits_[*chosen].begin);
    }
    end_old_waits(e);
  }
  const Point point = end_step(self);
  if (keeps_order_) {
    condition.notifies.add({.thread = self & 0x7fff'ffff,
                            .shared = 0,
                            .begin = point.step,
                            .end = point.step,
                            .clock = point.clock});
  }
  std::erase_if(condition.unnotified, [&](uint32_t wait) {
    if (!is_served(wait)) return false;
    waits_[wait].end = point;
    waits_[wait].notifies_by_then = condition.notifies.size();
    return true;
  });
}

// Waits that this notify does not find any more are over in the thread's ideal too.
void Ideals::end_old_waits(const trace::Event& e) {
  const Thread& thread = thread_of(e);
  auto is_over = [&](const Open& open) {
    const Held& held = held_[open.held];
    if (held.mode != Mode::waiting) return false;
    const Wait& wait = waits_[held.index];
    return ConditionId{wait.condition} == e.condition() && wait.end.step != 0 &&
           wait.end.thread != static_cast<uint32_t>(e.thread) &&
           !contains(e.thread, ThreadId{wait.end.thread}, wait.end.step);
  };
  for (;;) {
    auto open = std::ranges::find_if(thread.open, is_over);
    if (open == thread.open.end()) return;
    need(static_cast<uint32_t>(e.thread), waits_[held_[open->held].index].end);
  }
}

void Ideals::barrier_enter(const trace::Event& e) {
  const auto self = static_cast<uint32_t>(e.thread);
  auto& generations = barriers_[e.barrier()];
  if (generations.empty() || generations.back().number != e.generation()) {
    generations.push_back({.number = e.generation(), .enters = {}, .open = {}});
  }
  if (e.generation() > 0) {
    auto before = std::ranges::find(generations, e.generation() - 1, &Generation::number);
    if (before != generations.end()) need_generation(self, *before);
  }
  // Later threads enter this generation, leave it, or leave one that is not empty yet.
  std::erase_if(generations, [&](const Generation& g) {
    return g.number + 1 < e.generation() && g.inside == 0;
  });
  generations.back().enters.push_back(end_step(self));
  ++generations.back().inside;
}

void Ideals::barrier_exit(const trace::Event& e) {
  auto& generations = barriers_[e.barrier()];
  auto entered = std::ranges::find(generations, e.generation(), &Generation::number);
  CHECK(entered != generations.end() && entered->inside > 0);
  need_generation(static_cast<uint32_t>(e.thread), *entered);
  --entered->inside;
}

void Ideals::need_allocation(const trace::Event& e, uint32_t place) {
  Place& x = places_[place];
  if (!x.allocation_known) {
    x.allocation_known = true;
    if (allocation_of_) {
      auto allocation = allocations_.find(allocation_of_(e.location()));
      if (allocation != allocations_.end()) x.allocation = allocation->second;
    }
  }
  need(static_cast<uint32_t>(e.thread), x.allocation);
}

void Ideals::need_frees(const trace::Event& e, uint32_t place) {
  need(static_cast<uint32_t>(e.thread), places_[place].free);
}

void Ideals::access(const trace::Event& e, uint32_t place, uint64_t write) {
  Place& x = places_[place];
  const auto self = static_cast<uint32_t>(e.thread);
  if (is_read(e.kind)) {
    if (e.is_ambiguous()) {
      ambiguous_read(e.thread);
    } else if (!may_read_another_ || !may_read_another_(e)) {
      need(self, x.write);
    }
  }
  if (is_write(e.kind)) {
    x.write = sharing_.is_read_elsewhere(write) ? end_step(self) : Point{};
  } else if (e.kind == trace::EventKind::Free) {
    x.free = end_step(self);
  }
}

void Ideals::ambiguous_read(ThreadId thread) {
  start(static_cast<uint32_t>(thread));
  raise(never_, 1);
  adopt(static_cast<uint32_t>(thread));
}

}  // namespace foretell::analysis
