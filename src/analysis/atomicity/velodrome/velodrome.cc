// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/velodrome/velodrome.h"

#include <algorithm>
#include <utility>

#include "analysis/atomicity/access_pattern.h"
#include "trace/event_match.h"

namespace foretell::analysis {
namespace {

enum class Object : uint8_t { none, location, lock, other };

// What an event conflicts about, and how. Requests wait, and do not conflict: who asks for a lock
// in the middle of a block changes nothing.
std::pair<Object, OperationClass> operation_of(const trace::Event& e) {
  using enum trace::EventKind;
  using enum OperationClass;
  using Operation = std::pair<Object, OperationClass>;
  return match(
      e.kind,
      trace::Cases{
          trace::on<Read, AtomicRead>([] { return Operation{Object::location, reading}; }),
          trace::on<Write, AtomicWrite, AtomicRmw, Free>(
              [] { return Operation{Object::location, exclusive}; }),
          trace::on<Acquire, Release, trace::EventClass::wait>(
              [] { return Operation{Object::lock, exclusive}; }),
          trace::on<AcquireShared, ReleaseShared, TryFailShared>(
              [] { return Operation{Object::lock, reading}; }),
          trace::on<TryFail>([] { return Operation{Object::lock, trying}; }),
          trace::on<trace::kForksAndJoins, trace::kNotifies, trace::kBarriers, trace::kSemaphores>(
              [] { return Operation{Object::other, exclusive}; }),
          // Only fork and join are about every event of a thread.
          trace::on<trace::kRequests, Fence, Alloc, trace::kRemarks>(
              [] { return Operation{Object::none, exclusive}; }),
      });
}

// The location or lock that is operated on.
uint32_t object_of(const trace::Event& e) {
  const bool is_lock = operation_of(e).first == Object::lock;
  return is_lock ? static_cast<uint32_t>(e.lock()) : e.object;
}

uint64_t place_of(const finding::EventRef& e) {
  return e.site != kNoSite ? to_index(e.site) : uint64_t{1} << 63 | to_index(e.index);
}

}  // namespace

void Velodrome::on_event(const trace::Event& e) {
  if (in_second_pass_) {
    if (auto it = by_first_.find(e.index); it != by_first_.end()) {
      for (size_t number : it->second) propose(found_[number], e);
      by_first_.erase(it);
    }
    return;
  }
  block_event(e);
  if (open_blocks_ > 0) look(e);
  count_waiters(e);
}

void Velodrome::block_event(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  switch (blocks_.on_event(e)) {
    case BlockStacks::Change::began: {
      ++transactions_;
      ++open_blocks_;
      thread.in_block = true;
      thread.block_begin = to_index(e.index);
      const finding::BlockName name = blocks_.of(e.thread)->name;
      if (graph_is_cut_) break;
      thread.last = {graph_.begin(thread.last, finding::EventRef::of(e), name),
                     finding::EventRef::of(e)};
      break;
    }
    case BlockStacks::Change::ended:
      thread.in_block = false;
      --open_blocks_;
      if (!graph_is_cut_) graph_.end(thread.last.transaction);
      break;
    case BlockStacks::Change::none:
    case BlockStacks::Change::began_inner:
    case BlockStacks::Change::ended_inner:
      break;
  }
}

void Velodrome::look(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  earlier_.clear();
  violates_ = false;
  if (!thread.has_begun) {
    thread.has_begun = true;
    if (forks_[e.thread]) after(e, *forks_[e.thread]);
    forks_[e.thread].reset();
  }
  const auto [object, operation] = operation_of(e);
  if (object == Object::none && earlier_.empty()) return;
  ++events_;
  if (object == Object::location) {
    locations_[e.location()].for_each_conflict(operation, [&](auto& past) { after(e, past); });
  } else if (object == Object::lock) {
    locks_[e.lock()].for_each_conflict(operation, [&](auto& past) { after(e, past); });
  }
  conflicts_of(e);

  // Every conflict is known; now the event itself becomes part of the past.
  thread.clock.raise(clocks::Epoch(e.thread, to_index(e.index) + 1));
  TransactionGraph::Place place{thread.last.transaction, finding::EventRef::of(e)};
  if (!graph_is_cut_) {
    if (thread.in_block) {
      for (const TransactionGraph::Place& before : earlier_) {
        auto cycle = graph_.add(before, place);
        // A block that is violated by itself needs no cycle to say so.
        if (!cycle.empty() && !violates_) report_cycle(std::move(cycle));
      }
    } else {
      earlier_.push_back(thread.last);
      place.transaction = graph_.outside(earlier_, place.event);
    }
    if (graph_.live() > kMostTransactions) graph_is_cut_ = true;
  }
  thread.last = place;
  const PastEvent now{thread.clock, place, object_of(e)};
  if (object == Object::location) {
    locations_[e.location()].add(operation, now);
  } else if (object == Object::lock) {
    locks_[e.lock()].add(operation, now);
  }
  remember(e, now);
}

// Conflicts of pairs.
void Velodrome::conflicts_of(const trace::Event& e) {
  switch (e.kind) {
    case trace::EventKind::Join: {
      // Without making room for it: the caller holds on to a row.
      const Thread* other = threads_.find(e.other_thread());
      if (!other || other->last.event.index == kNoEvent) return;
      return after(e, {other->clock, other->last, 0});
    }
    case trace::EventKind::WaitEnd: {
      const auto condition = conditions_.find(e.condition());
      if (condition == conditions_.end()) return;
      const auto notify = condition->second.notifies.find(e.partner());
      if (notify != condition->second.notifies.end()) after(e, notify->second);
      return;
    }
    case trace::EventKind::SemaphoreWait:
      if (auto post = posts_.find(e.partner()); post != posts_.end()) {
        const PastEvent past = std::move(post->second);
        posts_.erase(post);
        after(e, past);
      }
      return;
    case trace::EventKind::BarrierExit:
      for (const Generation& generation : barriers_[e.barrier()]) {
        if (generation.number != e.generation()) continue;
        for (const PastEvent& enter : generation.enters) after(e, enter);
      }
      return;
    default:
      return;
  }
}

void Velodrome::remember(const trace::Event& e, const PastEvent& now) {
  switch (e.kind) {
    case trace::EventKind::Fork:
      forks_[e.other_thread()] = now;
      return;
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
      if (auto it = conditions_.find(e.condition()); it != conditions_.end()) {
        it->second.notifies.emplace(e.index, now);
      }
      return;
    case trace::EventKind::SemaphorePost:
      posts_.emplace(e.index, now);
      return;
    case trace::EventKind::BarrierEnter: {
      std::vector<Generation>& generations = barriers_[e.barrier()];
      if (generations.empty() || generations.back().number != e.generation()) {
        // Everybody has left the one before the last: else this one could not begin.
        if (generations.size() > 1) generations.erase(generations.begin());
        generations.push_back({e.generation(), {}});
      }
      generations.back().enters.push_back(now);
      return;
    }
    default:
      return;
  }
}

// A notify matters while somebody waits.
void Velodrome::count_waiters(const trace::Event& e) {
  if (e.kind == trace::EventKind::WaitBegin) ++conditions_[e.condition()].waiters;
  if (e.kind != trace::EventKind::WaitEnd) return;
  Condition& condition = conditions_[e.condition()];
  if (condition.waiters == 0 || --condition.waiters == 0) conditions_.erase(e.condition());
}

// `e` comes after `past`, with which it conflicts.
void Velodrome::after(const trace::Event& e, const PastEvent& past) {
  Thread& thread = threads_[e.thread];
  if (past.thread() == e.thread) return;
  earlier_.push_back(past.place);
  if (thread.in_block) check_block(e, past);
  thread.clock.join(past.clock);
}

void Velodrome::check_block(const trace::Event& e, const PastEvent& past) {
  const clocks::Time time = past.clock[e.thread];
  if (time <= threads_[e.thread].block_begin + 1) return;
  violates_ = true;
  ++violations_;
  // Blamed are the blocks that the first event lies in, too.
  const BlockFrame* frame = blocks_.of(e.thread).get();
  while (frame && to_index(frame->begin.index) + 1 >= time) frame = frame->parent.get();
  if (!frame) return;
  const uint64_t name = uint64_t{frame->name.id} << 1 | static_cast<uint64_t>(frame->name.kind);
  const finding::EventRef last = finding::EventRef::of(e);
  const std::array<uint64_t, 4> key = {name, place_of(past.place.event), place_of(last), 0};
  if (found_.size() >= kMostFindings || !seen_.insert(key).second) return;
  by_first_[EventIndex{time - 1}].push_back(found_.size());
  found_.push_back({EventIndex{time - 1}, past, last, object_of(e), names_of(frame)});
}

void Velodrome::report_cycle(std::vector<TransactionGraph::Step> cycle) {
  ++cycles_;
  finding::Proposal proposal{.kind = finding::FindingKind::atomicity};
  proposal.pattern = finding::AtomicityPattern::cycle;
  proposal.is_indirect = true;
  uint64_t key = 0;
  for (const TransactionGraph::Step& step : cycle) {
    if (step.block) proposal.blocks.push_back(*step.block);
    key = key * 31 + (step.block ? step.block->id * 2 + 1 : 0);
    for (const finding::EventRef& e : {step.conflict.from, step.conflict.to}) {
      if (std::ranges::find(proposal.events, e.index, &finding::EventRef::index) ==
          proposal.events.end()) {
        proposal.events.push_back(e);
      }
    }
  }
  std::ranges::sort(proposal.events, {}, &finding::EventRef::index);
  if (!seen_.insert({key, place_of(proposal.events.front()), place_of(proposal.events.back()), 1})
           .second) {
    return;
  }
  sink_.propose(std::move(proposal));
}

void Velodrome::propose(const Violation& violation, const trace::Event& first) {
  const finding::EventRef& intruder = violation.intruder.place.event;
  const finding::EventRef& last = violation.last;
  finding::Proposal proposal{.kind = finding::FindingKind::atomicity,
                             .events = {finding::EventRef::of(first), intruder, last},
                             .blocks = violation.blocks};
  const trace::Event ends[] = {first, {.kind = intruder.kind}, {.kind = last.kind}};
  auto all_about = [&](Object object) {
    return std::ranges::all_of(
               ends, [&](const trace::Event& e) { return operation_of(e).first == object; }) &&
           object_of(first) == violation.intruder.object &&
           object_of(first) == violation.last_object;
  };
  if (all_about(Object::location)) {
    proposal.location = first.location();
    proposal.pattern = pattern_of(first.kind, intruder.kind, last.kind);
  } else if (all_about(Object::lock)) {
    proposal.pattern = finding::AtomicityPattern::lock;
  }
  // Else what leads from the first event to the intruder is more than one conflict.
  proposal.is_indirect = proposal.pattern == finding::AtomicityPattern::none;
  if (proposal.is_indirect) proposal.pattern = finding::AtomicityPattern::chain;
  sink_.propose(std::move(proposal));
}

void Velodrome::finish() {}

bool Velodrome::wants_another_pass() {
  const bool wants = !in_second_pass_ && !found_.empty();
  in_second_pass_ = true;
  return wants;
}

void Velodrome::report_counters(CounterSink& sink) const {
  sink.count("transaction", transactions_);
  sink.count("event that can conflict", events_);
  sink.count("conflict into its own block", violations_);
  sink.count("cycle of blocks", cycles_);
  sink.count("most transactions at a time", graph_.most_live());
  if (graph_is_cut_) sink.count("graph cut off", 1);
}

}  // namespace foretell::analysis
