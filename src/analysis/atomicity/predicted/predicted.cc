#include "analysis/atomicity/predicted/predicted.h"

#include <algorithm>
#include <utility>

#include "analysis/atomicity/access_pattern.h"

namespace foretell {
namespace {

template <class Map>
std::vector<typename Map::key_type> sorted_keys(const Map& map) {
  std::vector<typename Map::key_type> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace

void PredictedAtomicity::on_event(const Event& e) {
  if (pass_ == 0) {
    note(e);
  } else {
    look(e);
  }
}

// First pass.
void PredictedAtomicity::note(const Event& e) {
  if (!is_access(e.kind)) {
    blocks_->on_event(e);
    return;
  }
  Location& location = locations_[e.location()];
  location.is_shared |= location.is_touched && location.owner != e.thread;
  location.is_touched = true;
  location.owner = e.thread;
  location.is_written |= access_class(e.kind) != AccessClass::read;
  if (blocks_->in_block(e.thread)) location.in_block = has_blocks_ = true;
}

void PredictedAtomicity::look(const Event& e) {
  switch (e.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Free:
      return access(e);
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
      return block(e);
    case EventKind::Acquire:
    case EventKind::WaitEnd:
      return acquire(e, false);
    case EventKind::AcquireShared:
      return acquire(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
      return release(e);
    case EventKind::Fork:
      clock(e.other_thread());  // may move the rows, as may the next
      clock(e.thread);
      clock(e.other_thread()).join(clock(e.thread));
      clock(e.thread).increment_head();
      return;
    case EventKind::Join:
      clock(e.other_thread());
      clock(e.thread).join(clock(e.other_thread()));
      return;
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Fence:
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::SemaphorePost:
    case EventKind::SemaphoreWait:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::User:
      return;
  }
}

void PredictedAtomicity::block(const Event& e) {
  Thread& thread = threads_[e.thread];
  switch (blocks_->on_event(e)) {
    case BlockStacks::Change::began:
      thread.taken = std::make_shared<std::vector<Held>>();
      return;
    case BlockStacks::Change::ended:
      thread.recent.clear();
      thread.taken.reset();
      return;
    case BlockStacks::Change::none:
    case BlockStacks::Change::began_inner:
    case BlockStacks::Change::ended_inner:
      return;
  }
}

VectorClock& PredictedAtomicity::clock(ThreadId thread) {
  Thread& state = threads_[thread];
  if (!std::exchange(state.has_clock, true)) state.clock.raise(Epoch(thread, 1));
  return state.clock;
}

void PredictedAtomicity::acquire(const Event& e, bool shared) {
  Thread& thread = threads_[e.thread];
  thread.held.push_back({e.lock(), shared, EventRef::of(e)});
  thread.snapshot.reset();
  if (thread.taken &&
      std::ranges::find(*thread.taken, e.lock(), &Held::lock) == thread.taken->end()) {
    thread.taken = std::make_shared<std::vector<Held>>(*thread.taken);
    thread.taken->push_back(thread.held.back());
  }
}

void PredictedAtomicity::release(const Event& e) {
  Thread& thread = threads_[e.thread];
  std::erase_if(thread.held, [&](const Held& held) { return held.lock == e.lock(); });
  thread.snapshot.reset();
}

void PredictedAtomicity::access(const Event& e) {
  if (!locations_[e.location()].matters()) return;
  ++accesses_;
  clock(e.thread);
  Thread& thread = threads_[e.thread];
  if (!thread.snapshot) thread.snapshot = std::make_shared<std::vector<Held>>(thread.held);
  const Access now{EventRef::of(e), blocks_->of(e.thread), thread.snapshot,
                   thread.taken,    thread.clock,          e.location()};
  if (is_new(0, now, now)) by_location_[e.location()].intruders.push_back(now);
  pair_locations(now);
  if (!now.stack) return;

  const bool writes = access_class(e.kind) != AccessClass::read;
  auto [it, is_first] = thread.recent.try_emplace(e.location());
  Recent& recent = it->second;
  if (!is_first) {
    pair_up(recent.last, now);
    const bool apart = recent.last_write && recent.last_write->event != recent.last.event;
    if (writes && apart) pair_up(*recent.last_write, now);
  }
  recent.last = now;
  if (writes) recent.last_write = now;
}

void PredictedAtomicity::pair_up(const Access& first, const Access& last) {
  if (first.event.index == last.event.index) return;  // pieces of one access
  const BlockFrame* common = common_block(first.stack, last.stack);
  if (!common || !is_new(1, first, last)) return;
  ++pairs_;
  by_location_[last.location].pairs.push_back({first, last, BlockStack(last.stack, common)});
}

void PredictedAtomicity::pair_locations(const Access& now) {
  std::vector<Access>& near = threads_[now.event.thread].near;
  for (const Access& first : near) {
    if (first.location == now.location || first.event.index == now.event.index) continue;
    const std::pair key(first.location, now.location);
    const BlockFrame* common = common_block(first.stack, now.stack);
    if (common && is_new(2, first, now)) {
      ++pairs_;
      by_two_[key].pairs.push_back({first, now, BlockStack(now.stack, common)});
    }
    if (is_new(3, first, now)) by_two_[key].intruders.push_back({first, now, nullptr});
  }
  std::erase_if(near, [&](const Access& a) { return a.location == now.location; });
  if (near.size() == kNearLocations) near.erase(near.begin());
  near.push_back(now);
}

bool PredictedAtomicity::is_new(uint64_t table, const Access& first, const Access& last) {
  auto place = [](const Access& a) {
    const uint64_t site = a.event.site == kNoSite ? 0 : to_index(a.event.site) + 1;
    return site << 8 | static_cast<uint64_t>(a.event.kind);
  };
  const Key key = {table, to_index(last.event.thread),
                   to_index(first.location) << 32 | to_index(last.location), place(first),
                   place(last)};
  uint32_t& instances = instances_[key];
  return instances < kMostInstances && ++instances > 0;
}

void PredictedAtomicity::finish() {
  if (++pass_ == 1) {
    blocks_ = std::make_unique<BlockStacks>(options_);
    for (size_t i = 0; i < locations_.size(); ++i) {
      locations_that_matter_ += locations_[LocationId{static_cast<uint32_t>(i)}].matters();
    }
    return;
  }
  // What is proposed first is judged first: always in the same order.
  for (LocationId location : sorted_keys(by_location_)) {
    const OfLocation& found = by_location_[location];
    for (const Pair& pair : found.pairs) {
      for (const Access& intruder : found.intruders) propose(pair, intruder);
    }
  }
  for (const auto& locations : sorted_keys(by_two_)) {
    const OfTwo& found = by_two_[locations];
    for (const Pair& pair : found.pairs) {
      for (const Pair& intruder : found.intruders) propose(pair, intruder);
    }
  }
}

// What fork and join order stays so.
bool PredictedAtomicity::can_come_between(const Pair& pair, const Access& intruder) {
  return !intruder.clock.contains(pair.last.clock.head()) &&
         !pair.first.clock.contains(intruder.clock.head());
}

// The intruder's acquire and the block's later one of a lock that keeps the accesses apart, but
// that the block has given back since its first access: the lock alone then shows the violation,
// whatever the intruder's section reads. The outermost such lock.
std::vector<EventRef> PredictedAtomicity::meeting_of(const Pair& pair, const Access& first,
                                                     const Access& last) {
  auto has = [](const HeldLocks& held, const Held& one) {
    return std::ranges::any_of(*held,
                               [&](const Held& h) { return h.acquire.index == one.acquire.index; });
  };
  for (const Held& mine : *pair.last.held) {
    const auto before = std::ranges::find(*pair.first.held, mine.lock, &Held::lock);
    if (before == pair.first.held->end() || before->acquire.index == mine.acquire.index) continue;
    for (const Held& theirs : *first.held) {
      if (theirs.lock != mine.lock || !has(last.held, theirs)) continue;
      if (theirs.shared && (mine.shared || before->shared)) continue;
      return {theirs.acquire, mine.acquire};
    }
  }
  return {};
}

// The intruder is in a block, too, and took the lock before, in another section of it: what it did
// there may depend on what the block does, so it can only be brought to that first acquire. That is
// between two acquires of the block all the same, and the accesses say that it matters.
void PredictedAtomicity::propose_acquires(const Pair& pair, const Access& intruder,
                                          std::string_view pattern) {
  if (!intruder.taken) return;
  for (const Held& mine : *pair.last.held) {
    const auto theirs = std::ranges::find(*intruder.taken, mine.lock, &Held::lock);
    const auto before = std::ranges::find(*pair.first.held, mine.lock, &Held::lock);
    if (theirs == intruder.taken->end() || before == pair.first.held->end()) continue;
    const bool is_held = std::ranges::any_of(
        *intruder.held, [&](const Held& h) { return h.acquire.index == theirs->acquire.index; });
    // Held since then it is the meeting of the accesses themselves.
    if (is_held || before->acquire.index == mine.acquire.index) continue;
    if (before->acquire.index < pair.block->begin.index) continue;
    if (theirs->shared && (mine.shared || before->shared)) continue;
    if (!may_propose()) return;
    sink_.propose_other({.kind = FindingKind::atomicity,
                         .events = {before->acquire, theirs->acquire, mine.acquire},
                         .blocks = names_of(pair.block.get()),
                         .pattern = pattern,
                         .meeting = {theirs->acquire, mine.acquire}});
    return;
  }
}

bool PredictedAtomicity::may_propose() {
  return ++proposals_ <= kMostProposals;
}

void PredictedAtomicity::propose(const Pair& pair, const Access& intruder) {
  const EventRef &first = pair.first.event, &last = pair.last.event;
  if (intruder.event.thread == first.thread) return;
  const std::string_view pattern = pattern_of(first.kind, intruder.event.kind, last.kind);
  if (pattern.empty() || only_writes(first.kind, intruder.event.kind, last.kind)) return;
  if (!can_come_between(pair, intruder)) {
    ++ordered_;
    return;
  }
  if (is_guarded(pair, intruder)) {
    ++guarded_;
    return;
  }
  if (!may_propose()) return;
  sink_.propose_other({.kind = FindingKind::atomicity,
                       .events = {first, intruder.event, last},
                       .location = pair.last.location,
                       .blocks = names_of(pair.block.get()),
                       .pattern = pattern,
                       .meeting = meeting_of(pair, intruder, intruder)});
  propose_acquires(pair, intruder, pattern);
}

void PredictedAtomicity::propose(const Pair& pair, const Pair& intruder) {
  const EventRef &first = pair.first.event, &last = pair.last.event;
  const EventRef &one = intruder.first.event, &two = intruder.last.event;
  if (one.thread == first.thread) return;
  if (!are_in_conflict(first.kind, one.kind) || !are_in_conflict(two.kind, last.kind)) return;
  if (!can_come_between(pair, intruder.first) || !can_come_between(pair, intruder.last)) {
    ++ordered_;
    return;
  }
  if (is_guarded(pair, intruder.first) || is_guarded(pair, intruder.last)) {
    ++guarded_;
    return;
  }
  if (!may_propose()) return;
  sink_.propose_other({.kind = FindingKind::atomicity,
                       .events = {first, one, two, last},
                       .location = pair.last.location,
                       .blocks = names_of(pair.block.get()),
                       .pattern = "two locations",
                       .meeting = meeting_of(pair, intruder.first, intruder.last)});
}

// A lock that the block holds throughout, and the intruder, too.
bool PredictedAtomicity::is_guarded(const Pair& pair, const Access& intruder) {
  for (const Held& before : *pair.first.held) {
    const bool throughout = std::ranges::any_of(
        *pair.last.held, [&](const Held& h) { return h.acquire.index == before.acquire.index; });
    if (!throughout) continue;
    for (const Held& theirs : *intruder.held) {
      if (theirs.lock == before.lock && !(theirs.shared && before.shared)) return true;
    }
  }
  return false;
}

void PredictedAtomicity::report_counters(CounterSink& sink) const {
  sink.count("shared location in blocks", locations_that_matter_);
  sink.count("access of them", accesses_);
  sink.count("pair in a block", pairs_);
  sink.count("ordered by fork or join", ordered_);
  sink.count("guarded by a lock", guarded_);
  sink.count("proposed", std::min(proposals_, kMostProposals));
  if (proposals_ > kMostProposals) sink.count("proposals cut off", 1);
}

}  // namespace foretell
