#include "judge/streaming_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "judge/trace_facts.h"

namespace foretell {

// One pair whose first access has passed: how its reordering differs from the recorded run.
class StreamingJudge::OpenPair {
 public:
  OpenPair(size_t query, const PairQuery& pair, const Event& first, const HeldLocks& held)
      : query_(query), pair_(pair), first_(first), held_(held) {
    stop_at(first);
  }

  bool is_deadlock() const { return !pair_.stuck.empty(); }
  // One of its acquires, of a thread that has come so far.
  bool can_stop_at(const Event& e) const {
    return begins_section(e.kind) && std::ranges::find(pair_.stuck, e.index) != pair_.stuck.end() &&
           !stopped_.contains(e.thread);
  }
  void stop_at(const Event& e) {
    leave_out(e);
    if (is_deadlock()) stuck_.emplace(e.index, e);
  }

  size_t query() const { return query_; }
  const PairQuery& pair() const { return pair_; }
  std::vector<EventIndex>& tail() { return tail_; }
  bool is_second(const Event& e) const {
    if (is_deadlock()) return e.index == pair_.second;
    return e.index == pair_.second && is_access(e.kind) && e.location() == pair_.location;
  }
  size_t differences() const {
    return stopped_.size() + stale_.size() + frees_.size() + signals_.size() + conditions_.size() +
           enters_.size();
  }

  // Executes or leaves out an event after the first access. True if the tail grew.
  bool step(const Event& e, EventIndex first_seen) {
    if (!can_execute(e, first_seen)) {
      leave_out(e);
      return false;
    }
    execute(e);
    if (e.index == pair_.second) return false;
    tail_.push_back(e.index);
    return true;
  }

  // Why the two accesses are not both next although the second has come; empty if they are.
  std::string why_no_deadlock() const {
    const std::vector<EventIndex>& stuck = pair_.stuck;
    for (EventIndex index : stuck) {
      if (!stuck_.contains(index)) {
        return "a thread depends on an event that had to be left out before it is stuck";
      }
    }
    for (size_t i = 0; i < stuck.size(); ++i) {
      const Event& waiting = stuck_.at(stuck[i]);
      const ThreadId other = stuck_.at(stuck[(i + 1) % stuck.size()]).thread;
      const auto held = held_.find(waiting.lock());
      if (held == held_.end()) return "one of the locks is free";
      const bool is_shared =
          std::ranges::find(held->second.shared, other) != held->second.shared.end();
      if (held->second.exclusive != other && !(is_shared && begins_exclusive(waiting.kind))) {
        return "one of the locks is held by another thread";
      }
    }
    return "";
  }

  std::string why_no_race(const Event& second) const {
    if (!clash(first_, second)) return "the two events do not clash";
    if (stopped_.contains(second.thread)) {
      return "the second access depends on an event that had to be left out";
    }
    if (other_free_) return "the memory is freed between the two accesses";
    return "";
  }

 private:
  bool can_execute(const Event& e, EventIndex first_seen) const {
    if (stopped_.contains(e.thread)) return false;
    if (is_access(e.kind)) return can_access(e, first_seen);
    switch (e.kind) {
      case EventKind::Acquire:
        return !held_.contains(e.lock());
      case EventKind::AcquireShared:
        return !held_exclusively(e.lock());
      case EventKind::TryFail:
        return held_.contains(e.lock());
      case EventKind::TryFailShared:
        return held_exclusively(e.lock());
      case EventKind::Join:
        return !stopped_.contains(e.other_thread());
      case EventKind::NotifyOne:
      case EventKind::NotifyAll:
        return !conditions_.contains(e.condition());
      case EventKind::WaitEnd:
        return !held_.contains(e.lock()) && !signals_.contains(e.partner());
      case EventKind::SemaphoreWait:
        return !signals_.contains(e.partner());
      case EventKind::BarrierEnter:
        return e.generation() == 0 || entered(e.barrier(), e.generation() - 1);
      case EventKind::BarrierExit:
        return entered(e.barrier(), e.generation());
      case EventKind::Read:
      case EventKind::Write:
      case EventKind::AtomicRead:
      case EventKind::AtomicWrite:
      case EventKind::AtomicRmw:
      case EventKind::Free:
      case EventKind::Release:
      case EventKind::ReleaseShared:
      case EventKind::Request:
      case EventKind::RequestShared:
      case EventKind::Fork:
      case EventKind::WaitBegin:
      case EventKind::SemaphorePost:
      case EventKind::BlockBegin:
      case EventKind::BlockEnd:
      case EventKind::ThreadBegin:
      case EventKind::ThreadEnd:
      case EventKind::Fence:
      case EventKind::FunctionEnter:
      case EventKind::FunctionExit:
      case EventKind::Branch:
      case EventKind::Alloc:
      case EventKind::User:
        return true;
    }
    return false;
  }

  bool can_access(const Event& e, EventIndex first_seen) const {
    // A free of the location would block the first access. A location that nobody had touched when
    // an allocation was left out may be what it allocates.
    if (e.kind == EventKind::Free && e.location() == pair_.location) return false;
    if (first_seen > first_alloc_left_out_ || frees_.contains(e.location())) return false;
    return !is_read(e.kind) || !(e.is_ambiguous() || stale_.contains(e.location()));
  }

  bool held_exclusively(LockId lock) const {
    auto it = held_.find(lock);
    return it != held_.end() && it->second.exclusive.has_value();
  }

  bool entered(BarrierId barrier, uint64_t generation) const {
    auto it = enters_.find(barrier);
    return it == enters_.end() || generation < it->second;
  }

  void execute(const Event& e) {
    follow_lock(e, held_);
    if (is_write(e.kind)) stale_.erase(e.location());
  }

  void leave_out(const Event& e) {
    stopped_.insert(e.thread);
    if (is_write(e.kind)) stale_.insert(e.location());
    switch (operands_of(e.kind)) {
      case Operands::Free:
        frees_.insert(e.location());
        other_free_ |= e.location() == pair_.location && e != first_;
        break;
      case Operands::Alloc:
        first_alloc_left_out_ = std::min(first_alloc_left_out_, e.index);
        break;
      case Operands::Thread:
        if (e.kind == EventKind::Fork) stopped_.insert(e.other_thread());
        break;
      case Operands::Wait:
      case Operands::Wake:
        conditions_.insert(e.condition());
        break;
      case Operands::Notify:
        conditions_.insert(e.condition());
        signals_.insert(e.index);
        break;
      case Operands::Post:
        signals_.insert(e.index);
        break;
      case Operands::Barrier:
        if (e.kind == EventKind::BarrierEnter) enters_.try_emplace(e.barrier(), e.generation());
        break;
      case Operands::None:
      case Operands::Access:
      case Operands::Atomic:
      case Operands::AtomicRmw:
      case Operands::Order:
      case Operands::Lock:
      case Operands::Label:
      case Operands::Down:
      case Operands::Function:
      case Operands::Branch:
      case Operands::User:
        break;
    }
  }

  size_t query_;
  PairQuery pair_;
  Event first_;
  std::vector<EventIndex> tail_;
  HeldLocks held_;
  absl::flat_hash_map<EventIndex, Event> stuck_;  // of a deadlock: threads that have come there
  absl::flat_hash_set<ThreadId> stopped_;
  absl::flat_hash_set<LocationId> stale_;            // their recorded last write was left out
  absl::flat_hash_set<LocationId> frees_;            // a free of them was left out
  absl::flat_hash_set<EventIndex> signals_;          // notifies and posts left out
  absl::flat_hash_set<ConditionId> conditions_;      // something on them was left out
  absl::flat_hash_map<BarrierId, uint64_t> enters_;  // first generation with an enter left out
  EventIndex first_alloc_left_out_ = kNoEvent;
  bool other_free_ = false;  // of the pair's location, by neither of the two
};

PairQuery PairQuery::deadlock(std::vector<EventIndex> stuck) {
  const auto [first, last] = std::ranges::minmax(stuck);
  return {first, last, LocationId{UINT32_MAX}, std::move(stuck)};
}

StreamingJudge::StreamingJudge(std::vector<PairQuery> queries, StreamingJudgeOptions options)
    : queries_(std::move(queries)),
      options_(options),
      judgements_(queries_.size()),
      order_(queries_.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::ranges::sort(order_, {}, [&](size_t q) { return std::pair(queries_[q].first, q); });
  for (size_t q = 0; q < queries_.size(); ++q) {
    CHECK(queries_[q].first < queries_[q].second);
    judgements_[q].reason = "the trace has no such pair of accesses";
  }
}

StreamingJudge::~StreamingJudge() = default;

void StreamingJudge::on_events(std::span<const Event> batch) {
  for (const Event& e : batch) on_event(e);
}

void StreamingJudge::on_event(const Event& e) {
  if (open_.empty() && next_ == order_.size()) return;
  if (is_access(e.kind)) {
    const size_t location = to_index(e.location());
    if (location >= first_seen_.size()) {
      first_seen_.resize(std::max(location + 1, first_seen_.size() * 2), kNoEvent);
    }
    if (first_seen_[location] == kNoEvent) first_seen_[location] = e.index;
  }
  for (size_t i = open_.size(); i-- > 0;) settle(i, e);
  if (next_ < order_.size() && queries_[order_[next_]].first <= e.index) open_pairs_at(e);
  follow_lock(e, held_);
  if (e.is_ambiguous() && first_ambiguous_ == kNoEvent) first_ambiguous_ = e.index;
}

// Lets one open pair see the event, and closes it if it is decided.
void StreamingJudge::settle(size_t open, const Event& e) {
  OpenPair& pair = *open_[open];
  StreamingJudgement& judgement = judgements_[pair.query()];
  if (pair.is_deadlock() && pair.can_stop_at(e)) {
    pair.stop_at(e);
    if (!pair.is_second(e)) return;
  }
  if (pair.is_second(e)) {
    judgement.reason = pair.is_deadlock() ? pair.why_no_deadlock() : pair.why_no_race(e);
    if (judgement.reason.empty()) {
      judgement.outcome = JudgeOutcome::witness;
      judgement.reason = "every event of it was enabled where it stands";
      judgement.prefix_end = pair.pair().first;
      judgement.tail = std::move(pair.tail());
      const std::vector<EventIndex> both = {pair.pair().first, pair.pair().second};
      const std::vector<EventIndex>& last = pair.is_deadlock() ? pair.pair().stuck : both;
      judgement.tail.insert(judgement.tail.end(), last.begin(), last.end());
    } else {
      tails_together_ -= pair.tail().size();
    }
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(open));
    return;
  }
  const EventIndex first_seen =
      is_access(e.kind) ? first_seen_[to_index(e.location())] : EventIndex{};
  tails_together_ += pair.step(e, first_seen) ? 1 : 0;
  if (pair.tail().size() > options_.longest_tail ||
      tails_together_ > options_.longest_tails_together) {
    judgement.reason = "the interleaving between the two accesses is too long";
  } else if (pair.differences() > options_.most_left_out) {
    judgement.reason = "too much had to be left out between the two accesses";
  } else {
    return;
  }
  tails_together_ -= pair.tail().size();
  open_.erase(open_.begin() + static_cast<ptrdiff_t>(open));
}

void StreamingJudge::open_pairs_at(const Event& e) {
  // Queries of one index need not be sorted by location: look at all of them, move past passed
  // ones.
  for (size_t i = next_; i < order_.size() && queries_[order_[i]].first <= e.index; ++i) {
    const PairQuery& query = queries_[order_[i]];
    if (query.first < e.index) {
      if (i == next_) ++next_;
      continue;
    }
    const bool is_it = query.stuck.empty() ? is_access(e.kind) && e.location() == query.location
                                           : begins_section(e.kind);
    if (!is_it) continue;
    if (first_ambiguous_ < e.index) {
      judgements_[order_[i]].reason = fmt::format(
          "the order of event {}, a read, and the writes that raced with it in a "
          "--parallel recording is not known",
          to_index(first_ambiguous_));
      continue;
    }
    if (open_.size() >= options_.most_open_pairs) {
      judgements_[order_[i]].reason =
          fmt::format("{} other pairs were being judged at the same time", open_.size());
      continue;
    }
    judgements_[order_[i]].reason = "the trace ends before the second access";
    open_.push_back(std::make_unique<OpenPair>(order_[i], query, e, held_));
  }
}

void StreamingJudge::follow_lock(const Event& e, HeldLocks& held) {
  if (begins_exclusive(e.kind)) {
    held[e.lock()].exclusive = e.thread;
  } else if (e.kind == EventKind::AcquireShared) {
    held[e.lock()].shared.push_back(e.thread);
  } else if (ends_section(e.kind)) {
    auto it = held.find(e.lock());
    if (e.kind == EventKind::ReleaseShared) {
      std::vector<ThreadId>& shared = it->second.shared;
      const auto mine = std::ranges::find(shared, e.thread);
      if (mine != shared.end()) shared.erase(mine);
      if (!shared.empty()) return;
    }
    held.erase(it);
  }
}

std::vector<StreamingJudgement> StreamingJudge::finish() {
  open_.clear();
  return std::move(judgements_);
}

}  // namespace foretell
