// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/predicted/predicted.h"

#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/atomicity/access_pattern.h"
#include "trace/event_match.h"

namespace foretell::analysis {
namespace {

// Of two locations, to sort and look up by.
uint64_t both(LocationId first, LocationId last) {
  return to_index(first) << 32 | to_index(last);
}

}  // namespace

void PredictedAtomicity::on_event(const trace::Event& e) {
  if (pass_ == 0) {
    note(e);
  } else {
    look(e);
  }
}

// First pass.
void PredictedAtomicity::note(const trace::Event& e) {
  if (is_access(e.kind)) return note_access(e);
  blocks_->on_event(e);
  follow(e);
}

void PredictedAtomicity::note_access(const trace::Event& e) {
  Location& location = locations_[e.location()];
  const bool was_shared = location.is_shared;
  location.is_shared |= location.is_touched && location.owner != e.thread;
  location.is_touched = true;
  location.owner = e.thread;
  location.is_written |= access_class(e.kind) != AccessClass::read;
  if (blocks_->in_block(e.thread)) location.in_block = has_blocks_ = true;

  const clocks::VectorClock& now = clock(e.thread);
  const LocksetId locks = lockset_of(e.thread);
  if (!location.is_shared) {
    location.lockset_alone =
        location.alone.is_zero() ? locks : locksets_.intersect(location.lockset_alone, locks);
    location.alone = now.head();
    return;
  }
  location.lockset = was_shared ? locksets_.intersect(location.lockset, locks) : locks;
  const bool is_first = location.alone.thread() == e.thread;
  if (!is_first && !now.contains(location.alone)) {
    location.lockset = locksets_.intersect(location.lockset, location.lockset_alone);
  }
}

LocksetId PredictedAtomicity::lockset_of(ThreadId id) {
  Thread& thread = threads_[id];
  if (std::exchange(thread.has_lockset, true)) return thread.lockset;
  std::vector<LockId> locks;
  for (const Held& held : thread.held) locks.push_back(held.lock);
  std::ranges::sort(locks);
  const auto rest = std::ranges::unique(locks);
  locks.erase(rest.begin(), rest.end());
  thread.lockset = locksets_.intern(std::move(locks));
  return thread.lockset;
}

// Whether whoever comes between the two needs a lock that the block has all the while.
bool PredictedAtomicity::is_always_guarded(LocationId location, const Access& first,
                                           const Access& last) {
  const LocksetId lockset = locations_[location].lockset;
  for (const Held& held : *first.in->held) {
    if (held.shared || !locksets_.contains(lockset, held.lock)) continue;
    for (const Held& later : *last.in->held) {
      if (later.acquire.index == held.acquire.index) return true;
    }
  }
  return false;
}

void PredictedAtomicity::look(const trace::Event& e) {
  if (is_access(e.kind)) return access(e);
  block(e);
  follow(e);
}

// Locks, forks and joins, in every pass.
void PredictedAtomicity::follow(const trace::Event& e) {
  match(e.kind,
        trace::Cases{
            trace::on<trace::kSectionBegins>(
                [&] { acquire(e, e.kind == trace::EventKind::AcquireShared); }),
            trace::on<trace::kSectionEnds>([&] { release(e); }),
            trace::on<trace::EventKind::Fork>([&] { fork(e); }),
            trace::on<trace::EventKind::Join>([&] { join(e); }),
            trace::ignored<trace::kAccesses, trace::kRequests, trace::kFailedTries,
                           trace::kNotifies, trace::kBarriers, trace::kSemaphores,
                           trace::EventKind::Alloc, trace::EventKind::Fence, trace::kRemarks>,
        });
}

void PredictedAtomicity::fork(const trace::Event& e) {
  clock(e.other_thread());  // may move the rows, as may the next
  clock(e.thread);
  clock(e.other_thread()).join(clock(e.thread));
  clock(e.thread).increment_head();
  ++threads_[e.thread].forks_and_joins;
  changed(e.thread);
  changed(e.other_thread());
}

void PredictedAtomicity::join(const trace::Event& e) {
  clock(e.other_thread());
  clock(e.thread).join(clock(e.other_thread()));
  ++threads_[e.thread].forks_and_joins;
  changed(e.thread);
}

void PredictedAtomicity::block(const trace::Event& e) {
  if (e.kind != trace::EventKind::BlockBegin && e.kind != trace::EventKind::BlockEnd &&
      e.kind != trace::EventKind::FunctionEnter && e.kind != trace::EventKind::FunctionExit) {
    return;
  }
  Thread& thread = threads_[e.thread];
  const BlockStacks::Change change = blocks_->on_event(e);
  if (change != BlockStacks::Change::none) thread.now.reset();
  switch (change) {
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

clocks::VectorClock& PredictedAtomicity::clock(ThreadId thread) {
  Thread& state = threads_[thread];
  if (!std::exchange(state.has_clock, true)) state.clock.raise(clocks::Epoch(thread, 1));
  return state.clock;
}

void PredictedAtomicity::acquire(const trace::Event& e, bool shared) {
  Thread& thread = threads_[e.thread];
  thread.held.push_back({e.lock(), shared, finding::EventRef::of(e)});
  thread.snapshot.reset();
  thread.now.reset();
  thread.has_lockset = false;
  if (thread.taken &&
      std::ranges::find(*thread.taken, e.lock(), &Held::lock) == thread.taken->end()) {
    thread.taken = std::make_shared<std::vector<Held>>(*thread.taken);
    thread.taken->push_back(thread.held.back());
  }
}

void PredictedAtomicity::release(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  std::erase_if(thread.held, [&](const Held& held) { return held.lock == e.lock(); });
  thread.snapshot.reset();
  thread.now.reset();
  thread.has_lockset = false;
}

const std::shared_ptr<const PredictedAtomicity::Circumstances>& PredictedAtomicity::circumstances(
    ThreadId id) {
  clock(id);
  Thread& thread = threads_[id];
  if (thread.now) return thread.now;
  if (!thread.snapshot) thread.snapshot = std::make_shared<std::vector<Held>>(thread.held);
  size_t digest = thread.forks_and_joins;
  for (const Held& held : thread.held) digest = absl::HashOf(digest, held.lock, held.shared);
  thread.now = std::make_shared<Circumstances>(blocks_->of(id), thread.snapshot, thread.taken,
                                               thread.clock, digest);
  return thread.now;
}

void PredictedAtomicity::access(const trace::Event& e) {
  Location& location = locations_[e.location()];
  if (!location.matters()) return;
  if (std::exchange(location.owner, e.thread) != e.thread) ++location.turns;
  Access now{finding::EventRef::of(e), circumstances(e.thread), e.location()};
  now.digest = absl::HashOf(now.in->digest, location.turns);
  if (pass_ == 1) {
    ++accesses_;
    if (now.in->stack) pair_accesses(now);
  } else {
    note_intruder(now);
  }
  pair_locations(now);
}

void PredictedAtomicity::note_intruder(Access& now) {
  const uint64_t locations = both(now.location, now.location);
  if (!block_locations_.contains(locations) || !is_new(Table::intruder, now, now)) return;
  const AccessId id = keep(now);
  intruders_.push_back({locations, id, id});
}

void PredictedAtomicity::pair_accesses(Access& now) {
  auto [it, is_first] = threads_[now.event.thread].recent.try_emplace(now.location);
  Recent& recent = it->second;
  const AccessClass kind = access_class(now.event.kind);
  if (!is_first) {
    pair_up(recent.last, now);
    auto pair_with = [&](std::optional<Access>& earlier) {
      if (earlier && earlier->event != recent.last.event) pair_up(*earlier, now);
    };
    if (kind != AccessClass::read) {
      pair_with(recent.last_write);
      pair_with(recent.last_read);
    }
  }
  recent.last = now;
  if (kind != AccessClass::read) recent.last_write = now;
  if (kind != AccessClass::write) recent.last_read = now;
}

void PredictedAtomicity::pair_up(Access& first, Access& now) {
  if (first.event.index == now.event.index) return;  // pieces of one access
  if (!common_block(first.in->stack, now.in->stack)) return;
  if (is_always_guarded(now.location, first, now)) {
    ++guarded_;
    return;
  }
  if (!is_new(Table::pair, first, now)) return;
  const uint64_t locations = both(now.location, now.location);
  pairs_.push_back({locations, keep(first), keep(now)});
  block_locations_.insert(locations);
}

// Blocks in the second pass, others in the third.
void PredictedAtomicity::pair_locations(Access& now) {
  std::vector<Access>& near = threads_[now.event.thread].near;
  for (Access& first : near) {
    if (first.location == now.location || first.event.index == now.event.index) continue;
    const uint64_t locations = both(first.location, now.location);
    if (pass_ == 1) {
      if (!common_block(first.in->stack, now.in->stack)) continue;
      if (is_always_guarded(first.location, first, now) ||
          is_always_guarded(now.location, first, now)) {
        ++guarded_;
        continue;
      }
      if (!is_new(Table::two, first, now)) continue;
      block_pairs_.push_back({locations, keep(first), keep(now)});
      block_locations_.insert(locations);
    } else if (block_locations_.contains(locations) && is_new(Table::two_intruders, first, now)) {
      intruder_pairs_.push_back({locations, keep(first), keep(now)});
    }
  }
  std::erase_if(near, [&](const Access& a) {
    return a.location == now.location && access_class(a.event.kind) == access_class(now.event.kind);
  });
  if (near.size() == kNearAccesses) near.erase(near.begin());
  near.push_back(now);
}

PredictedAtomicity::AccessId PredictedAtomicity::keep(Access& access) {
  if (access.kept == kNotKept) {
    access.kept = static_cast<AccessId>(kept_.size());
    kept_.push_back(access);
  }
  return access.kept;
}

uint32_t PredictedAtomicity::place_of(const Access& access) {
  const uint64_t site = access.event.site == kNoSite ? 0 : to_index(access.event.site) + 1;
  const std::array<uint64_t, 2> key = {
      to_index(access.event.thread) << 32 | to_index(access.location),
      site << 8 | static_cast<uint64_t>(access.event.kind)};
  return places_.try_emplace(key, static_cast<uint32_t>(places_.size())).first->second;
}

bool PredictedAtomicity::is_new(Table table, const Access& first, const Access& last) {
  const uint64_t places = uint64_t{place_of(first)} << 32 | place_of(last);
  Instances& instances = instances_[static_cast<size_t>(table)][places];
  const auto digest = static_cast<uint32_t>(absl::HashOf(first.digest, last.digest));
  const bool is_one_of_few = instances.count < kFirstInstances;
  const bool is_different = instances.digest != digest && instances.count < kMostInstances;
  if (!is_one_of_few && !is_different) return false;
  ++instances.count;
  instances.digest = digest;
  return true;
}

void PredictedAtomicity::finish() {
  ++pass_;
  blocks_ = std::make_unique<BlockStacks>(options_);
  if (pass_ == 1) {
    for (size_t i = 0; i < locations_.size(); ++i) {
      locations_that_matter_ += locations_[LocationId{static_cast<uint32_t>(i)}].matters();
    }
  }
  if (!wants_another_pass()) return propose_all();
  // A pass begins as the one before did.
  for (size_t i = 0; i < threads_.size(); ++i) threads_[ThreadId{static_cast<uint32_t>(i)}] = {};
}

// Calls `visit` with every two of the same locations; the orders of both are kept.
template <class Visit>
void PredictedAtomicity::for_each_common(const std::vector<Pair>& pairs,
                                         const std::vector<Pair>& others, Visit visit) {
  auto other = others.begin();
  for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
    while (other != others.end() && other->locations < pair->locations) ++other;
    for (auto it = other; it != others.end() && it->locations == pair->locations; ++it) {
      visit(*pair, *it);
    }
  }
}

// What is proposed first is judged first: always in the same order.
void PredictedAtomicity::propose_all() {
  for (std::vector<Pair>* all : {&intruders_, &pairs_, &block_pairs_, &intruder_pairs_}) {
    std::ranges::sort(*all);
  }
  for_each_common(pairs_, intruders_, [&](const Pair& pair, const Pair& intruder) {
    propose(pair, kept_[intruder.first]);
  });
  for_each_common(block_pairs_, intruder_pairs_,
                  [&](const Pair& pair, const Pair& intruder) { propose(pair, intruder); });
}

const BlockFrame* PredictedAtomicity::block_of(const Pair& pair) const {
  return common_block(kept_[pair.first].in->stack, kept_[pair.last].in->stack);
}

// What fork and join order stays so.
bool PredictedAtomicity::can_come_between(const Pair& pair, const Access& intruder) const {
  const Circumstances &first = *kept_[pair.first].in, &last = *kept_[pair.last].in;
  return !intruder.in->clock.contains(last.clock.head()) &&
         !first.clock.contains(intruder.in->clock.head());
}

// The intruder's acquire and the block's later one of a lock that keeps the accesses apart, but
// that the block has given back since its first access: the lock alone then shows the violation,
// whatever the intruder's section reads. The outermost such lock.
std::vector<finding::EventRef> PredictedAtomicity::meeting_of(const Pair& pair, const Access& first,
                                                              const Access& last) const {
  const HeldLocks &at_first = kept_[pair.first].in->held, &at_last = kept_[pair.last].in->held;
  auto has = [](const HeldLocks& held, const Held& one) {
    return std::ranges::any_of(*held,
                               [&](const Held& h) { return h.acquire.index == one.acquire.index; });
  };
  for (const Held& mine : *at_last) {
    const auto before = std::ranges::find(*at_first, mine.lock, &Held::lock);
    if (before == at_first->end() || before->acquire.index == mine.acquire.index) continue;
    for (const Held& theirs : *first.in->held) {
      if (theirs.lock != mine.lock || !has(last.in->held, theirs)) continue;
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
                                          finding::AtomicityPattern pattern) {
  const HeldLocks &taken = intruder.in->taken, &at_first = kept_[pair.first].in->held;
  if (!taken) return;
  const BlockFrame* const block = block_of(pair);
  for (const Held& mine : *kept_[pair.last].in->held) {
    const auto theirs = std::ranges::find(*taken, mine.lock, &Held::lock);
    const auto before = std::ranges::find(*at_first, mine.lock, &Held::lock);
    if (theirs == taken->end() || before == at_first->end()) continue;
    const bool is_held = std::ranges::any_of(*intruder.in->held, [&](const Held& h) {
      return h.acquire.index == theirs->acquire.index;
    });
    // Held since then it is the meeting of the accesses themselves.
    if (is_held || before->acquire.index == mine.acquire.index) continue;
    if (before->acquire.index < block->begin.index) continue;
    if (theirs->shared && (mine.shared || before->shared)) continue;
    if (!may_propose()) return;
    sink_.propose({.kind = finding::FindingKind::atomicity,
                   .events = {before->acquire, theirs->acquire, mine.acquire},
                   .blocks = names_of(block),
                   .pattern = pattern,
                   .meeting = {theirs->acquire, mine.acquire}});
    return;
  }
}

bool PredictedAtomicity::may_propose() {
  return ++proposals_ <= kMostProposals;
}

void PredictedAtomicity::propose(const Pair& pair, const Access& intruder) {
  const finding::EventRef &first = kept_[pair.first].event, &last = kept_[pair.last].event;
  if (intruder.event.thread == first.thread) return;
  const finding::AtomicityPattern pattern = pattern_of(first.kind, intruder.event.kind, last.kind);
  if (pattern == finding::AtomicityPattern::none ||
      only_writes(first.kind, intruder.event.kind, last.kind))
    return;
  if (!can_come_between(pair, intruder)) {
    ++ordered_;
    return;
  }
  if (is_guarded(pair, intruder)) {
    ++guarded_;
    return;
  }
  if (!may_propose()) return;
  sink_.propose({.kind = finding::FindingKind::atomicity,
                 .events = {first, intruder.event, last},
                 .location = kept_[pair.last].location,
                 .blocks = names_of(block_of(pair)),
                 .pattern = pattern,
                 .meeting = meeting_of(pair, intruder, intruder)});
  propose_acquires(pair, intruder, pattern);
}

void PredictedAtomicity::propose(const Pair& pair, const Pair& intruder) {
  const finding::EventRef &first = kept_[pair.first].event, &last = kept_[pair.last].event;
  const Access &enters = kept_[intruder.first], &leaves = kept_[intruder.last];
  const finding::EventRef &one = enters.event, &two = leaves.event;
  if (one.thread == first.thread) return;
  if (!are_in_conflict(first.kind, one.kind) || !are_in_conflict(two.kind, last.kind)) return;
  if (!can_come_between(pair, enters) || !can_come_between(pair, leaves)) {
    ++ordered_;
    return;
  }
  if (is_guarded(pair, enters) || is_guarded(pair, leaves)) {
    ++guarded_;
    return;
  }
  if (!may_propose()) return;
  sink_.propose({.kind = finding::FindingKind::atomicity,
                 .events = {first, one, two, last},
                 .location = kept_[pair.last].location,
                 .blocks = names_of(block_of(pair)),
                 .pattern = finding::AtomicityPattern::two_locations,
                 .meeting = meeting_of(pair, enters, leaves)});
}

// A lock that the block holds throughout, and the intruder, too.
bool PredictedAtomicity::is_guarded(const Pair& pair, const Access& intruder) const {
  for (const Held& before : *kept_[pair.first].in->held) {
    const bool throughout = std::ranges::any_of(*kept_[pair.last].in->held, [&](const Held& h) {
      return h.acquire.index == before.acquire.index;
    });
    if (!throughout) continue;
    for (const Held& theirs : *intruder.in->held) {
      if (theirs.lock == before.lock && !(theirs.shared && before.shared)) return true;
    }
  }
  return false;
}

void PredictedAtomicity::report_counters(CounterSink& sink) const {
  sink.count("shared location in blocks", locations_that_matter_);
  sink.count("access of them", accesses_);
  sink.count("pair in a block", pairs_.size() + block_pairs_.size());
  sink.count("ordered by fork or join", ordered_);
  sink.count("guarded by a lock", guarded_);
  sink.count("proposed", std::min(proposals_, kMostProposals));
  if (proposals_ <= kMostProposals) return;
  sink.count("proposals cut off", 1);
  sink.left_out(fmt::format("{} further places where a block may be interrupted",
                            proposals_ - kMostProposals));
}

}  // namespace foretell::analysis
