// SPDX-License-Identifier: Apache-2.0

#include "judge/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "trace/event_match.h"

namespace foretell::judge {
namespace {

bool contains(const std::vector<Position>& list, Position p) {
  return std::ranges::find(list, p) != list.end();
}

}  // namespace

std::string described(const trace::Trace& trace, Position p) {
  const trace::Event& e = trace.events[p];
  const std::string_view thread = trace.tables.threads.contains(e.thread)
                                      ? trace.tables.threads[e.thread]
                                      : std::string_view("?");
  return fmt::format("event {} ({} of thread {})", to_index(e.index), word_of(e.kind), thread);
}

Machine::Machine(const TraceFacts& facts, Position start)
    : facts_(&facts),
      start_(start),
      done_(facts.steps_before(start)),
      unnotified_(facts.condition_count) {
  if (start == 0 || facts.condition_count == 0) return;
  for (size_t t = 0; t < done_.size(); ++t) {
    if (done_[t] == 0) continue;
    const Position last = facts.events_of[t][done_[t] - 1];
    const trace::Event& e = facts.event(last);
    if (e.kind == trace::EventKind::WaitBegin && facts.waited_unnotified(last, start)) {
      unnotified_[to_index(e.condition())].push_back(last);
    }
  }
}

std::optional<std::string> Machine::why_not(Position p) const {
  if (!is_next(p)) {
    return fmt::format("{} is not the next event of its thread", described(facts_->trace, p));
  }
  const std::string_view text = obstacle(p);
  if (text.empty()) return {};
  return fmt::format("{} is not enabled: {}", described(facts_->trace, p), text);
}

bool Machine::was_forked(ThreadId thread) const {
  const Position fork = facts_->fork_of[to_index(thread)];
  return fork == kNoPosition || happened(fork);
}

bool Machine::allocated(LocationId location) const {
  const Position alloc = facts_->alloc_of[to_index(location)];
  return alloc == kNoPosition || happened(alloc);
}

bool Machine::is_unnotified(Position wait) const {
  return contains(unnotified_[to_index(facts_->event(wait).condition())], wait);
}

std::string_view Machine::obstacle(Position p) const {
  const trace::Event& e = facts_->event(p);
  if (!was_forked(e.thread)) return "its thread has not been forked";
  using enum trace::EventKind;
  using Text = std::string_view;  // empty: no obstacle
  return match(
      e.kind,
      trace::Cases{
          trace::on<trace::kAccesses>([&] { return access_obstacle(p); }),
          trace::on<Acquire>([&]() -> Text { return lock_of(e).held() ? "the lock is held" : ""; }),
          trace::on<AcquireShared>(
              [&]() -> Text { return lock_of(e).exclusive ? "the lock is held exclusively" : ""; }),
          trace::on<TryFail>(
              [&]() -> Text { return lock_of(e).held() ? "" : "nobody holds the lock"; }),
          trace::on<TryFailShared>([&]() -> Text {
            return lock_of(e).exclusive ? "" : "nobody holds the lock exclusively";
          }),
          trace::on<Join>([&] { return join_obstacle(e); }),
          trace::on<NotifyOne>([&] { return notify_obstacle(p); }),
          trace::on<NotifyAll>([&] { return notify_all_obstacle(p); }),
          trace::on<WaitEnd>([&] { return wake_obstacle(p); }),
          trace::on<trace::kBarriers>([&] { return barrier_obstacle(e); }),
          trace::on<SemaphoreWait>([&]() -> Text {
            const bool served = facts_->partner[p] == kNoPosition || happened(facts_->partner[p]);
            return served ? "" : "the post that served it has not happened";
          }),
          trace::on<trace::kSectionEnds, trace::kRequests, Fork, SemaphorePost, Fence, Alloc,
                    trace::kRemarks>([] { return Text(); }),
      });
}

std::string_view Machine::join_obstacle(const trace::Event& e) const {
  if (!was_forked(e.other_thread())) return "the other thread has not been forked";
  const size_t other = to_index(e.other_thread());
  return done_[other] == facts_->events_of[other].size() ? "" : "the other thread has not finished";
}

std::string_view Machine::wake_obstacle(Position p) const {
  if (facts_->partner[p] != kNoPosition && is_unnotified(facts_->wait_of(p))) {
    return "it has not been notified";
  }
  return lock_of(facts_->event(p)).held() ? "the lock is held" : "";
}

std::string_view Machine::access_obstacle(Position p) const {
  const trace::Event& e = facts_->event(p);
  if (!allocated(e.location())) return "its location has not been allocated";
  if (frees(e.location()) != facts_->frees_before[p]) {
    return "not the same frees of its location have happened";
  }
  if (e.is_ambiguous()) return "which write it returns is not known";
  if (is_read(e.kind) && !facts_->serves(last_writer(e.location()), p)) {
    return "it would read from another write";
  }
  return "";
}

std::string_view Machine::notify_obstacle(Position p) const {
  const std::vector<Position>& waits = unnotified_[to_index(facts_->event(p).condition())];
  if (waits.empty()) return "";
  const Position served = facts_->partner[p];
  if (served == kNoPosition) {
    return facts_->found_waiter.contains(p) ? "" : "it would wake a waiter it did not find";
  }
  return contains(waits, facts_->wait_of(served)) ? "" : "it would wake another waiter";
}

std::string_view Machine::notify_all_obstacle(Position p) const {
  for (Position wait : unnotified_[to_index(facts_->event(p).condition())]) {
    if (!facts_->waited_unnotified(wait, p) && facts_->wake_of(wait) != kNoPosition) {
      return "it would wake a waiter it did not find";
    }
  }
  return "";
}

std::string_view Machine::barrier_obstacle(const trace::Event& e) const {
  const bool entering = e.kind == trace::EventKind::BarrierEnter;
  if (entering && e.generation() == 0) return "";
  const uint64_t generation = e.generation() - (entering ? 1 : 0);
  if (entered(e.barrier(), generation) == facts_->enters(e.barrier(), generation).size()) return "";
  return entering ? "the barrier's last generation is not complete"
                  : "not every thread has entered the barrier";
}

size_t Machine::entered_before_start(BarrierId barrier, uint64_t generation) const {
  const std::span<const Position> enters = facts_->enters(barrier, generation);
  return static_cast<size_t>(std::ranges::lower_bound(enters, start_) - enters.begin());
}

std::optional<std::string> Machine::why_no_race(Position a, Position b) const {
  const trace::Event &first = facts_->event(a), &second = facts_->event(b);
  if (!clash(first, second)) return "the two events do not clash";
  auto named = [&](std::string_view before, Position p, std::string_view after) {
    return fmt::format("{}{}{}", before, described(facts_->trace, p), after);
  };
  for (auto [p, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!is_next(p)) return named("", p, " is not the next event of its thread");
    if (!was_forked(facts_->event(p).thread)) {
      return named("the thread of ", p, " has not been forked");
    }
    // The free of a racing pair does not block its partner.
    const bool freed_by_other = facts_->event(other).kind == trace::EventKind::Free && other < p;
    if (frees(first.location()) + (freed_by_other ? 1 : 0) != facts_->frees_before[p]) {
      return named("not the same frees have happened as before ", p, "");
    }
  }
  if (!allocated(first.location())) return "the location has not been allocated";
  return {};
}

std::optional<std::string> Machine::why_no_meeting(Position a, Position b) const {
  if (!can_meet(facts_->event(a), facts_->event(b)))
    return "the two events are not acquires that exclude each other";
  std::optional<std::string> reason = why_not(a);
  return reason ? reason : why_not(b);
}

std::optional<std::string> Machine::why_no_read(Position read) const {
  const trace::Event& e = facts_->event(read);
  auto named = [&](std::string_view text) {
    return fmt::format("{} {}", described(facts_->trace, read), text);
  };
  if (!is_read(e.kind)) return named("does not read");
  if (!is_next(read)) return named("is not the next event of its thread");
  if (!was_forked(e.thread)) return named("is of a thread that has not been forked");
  if (!allocated(e.location())) return named("reads what has not been allocated");
  if (frees(e.location()) != facts_->frees_before[read]) {
    return named("does not come after the same frees");
  }
  return {};
}

void Machine::take_notified(Position notify, Effect& effect) {
  std::erase_if(unnotified_[to_index(facts_->event(notify).condition())], [&](Position wait) {
    const Position wake = facts_->wake_of(wait);
    const bool taken = wake != kNoPosition && facts_->partner[wake] == notify;
    if (taken) effect.taken.push_back(wait);
    return taken;
  });
}

Machine::Effect Machine::apply(Position p) {
  const trace::Event& e = facts_->event(p);
  Effect effect;
  if (is_write(e.kind)) {
    auto [it, fresh] = last_writer_.try_emplace(e.location(), p);
    effect.overwritten =
        fresh ? facts_->last_write_before(e.location(), start_) : std::exchange(it->second, p);
  } else if (e.kind == trace::EventKind::Free) {
    frees_[e.location()] = frees(e.location()) + 1;
  } else if (e.kind == trace::EventKind::AcquireShared) {
    ++changed_lock(e).shared;
  } else if (e.kind == trace::EventKind::ReleaseShared) {
    --changed_lock(e).shared;
  } else if (begins_exclusive(e.kind)) {
    changed_lock(e).exclusive = true;
  } else if (ends_section(e.kind)) {
    changed_lock(e).exclusive = false;
  } else if (e.kind == trace::EventKind::BarrierEnter) {
    ++changed_entered(e);
  }
  if (e.kind == trace::EventKind::WaitBegin) {
    unnotified_[to_index(e.condition())].push_back(p);
  } else if (e.kind == trace::EventKind::WaitEnd) {
    const Position wait = facts_->wait_of(p);
    if (std::erase(unnotified_[to_index(e.condition())], wait) > 0) effect.taken.push_back(wait);
  } else if (e.kind == trace::EventKind::NotifyOne || e.kind == trace::EventKind::NotifyAll) {
    take_notified(p, effect);
  }
  ++done_[to_index(e.thread)];
  return effect;
}

void Machine::undo(Position p, const Effect& effect) {
  const trace::Event& e = facts_->event(p);
  CHECK(happened(p));
  --done_[to_index(e.thread)];
  if (is_write(e.kind)) {
    last_writer_[e.location()] = effect.overwritten;
  } else if (e.kind == trace::EventKind::Free) {
    --frees_[e.location()];
  } else if (e.kind == trace::EventKind::AcquireShared) {
    --changed_lock(e).shared;
  } else if (e.kind == trace::EventKind::ReleaseShared) {
    ++changed_lock(e).shared;
  } else if (begins_exclusive(e.kind)) {
    changed_lock(e).exclusive = false;
  } else if (ends_section(e.kind)) {
    changed_lock(e).exclusive = true;
  } else if (e.kind == trace::EventKind::BarrierEnter) {
    --changed_entered(e);
  }
  if (e.kind == trace::EventKind::WaitBegin) {
    std::erase(unnotified_[to_index(e.condition())], p);
  }
  for (Position wait : effect.taken) unnotified_[to_index(e.condition())].push_back(wait);
}

}  // namespace foretell::judge
