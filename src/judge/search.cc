// SPDX-License-Identifier: Apache-2.0

#include "judge/search.h"

#include <algorithm>
#include <queue>

#include "trace/event_match.h"

namespace foretell::judge {
namespace {

bool gate_open(const Machine& machine, const Gate& gate, Position p) {
  if (gate.empty()) return true;
  auto it = gate.find(p);
  return it == gate.end() ||
         std::ranges::all_of(it->second, [&](Position q) { return machine.happened(q); });
}

bool at_goal(const TraceFacts& facts, const Machine& machine, const Goal& goal) {
  if (!std::ranges::all_of(goal.stopped(), [&](Position p) { return machine.is_next(p); })) {
    return false;
  }
  switch (goal.kind) {
    case GoalKind::race:
      return !machine.why_no_race(goal.events[0], goal.events[1]);
    case GoalKind::meeting:
      return !machine.why_no_meeting(goal.events[0], goal.events[1]);
    case GoalKind::order: {
      // The gate keeps the events in their order.
      if (!std::ranges::all_of(goal.happening(), [&](Position p) { return machine.happened(p); })) {
        return false;
      }
      if (!goal.stops_at_read()) return true;
      const Position read = goal.events.back();
      if (machine.why_no_read(read)) return false;
      return machine.last_writer(facts.event(read).location()) == goal.writer;
    }
    case GoalKind::deadlock:
      return std::ranges::all_of(goal.events,
                                 [&](Position p) {
                                   return facts.event(p).kind != trace::EventKind::WaitEnd ||
                                          machine.is_unnotified(facts.wait_of(p)) ==
                                              goal.is_lost(p);
                                 }) &&
             !machine.why_no_deadlock(goal.events);
  }
  return false;
}

class Search {
 public:
  Search(const TraceFacts& facts, const SearchSpace& space, uint64_t budget)
      : facts_(facts), space_(space), budget_(budget), machine_(facts, space.window.from) {
    for (uint32_t t = 0; t < facts.thread_count(); ++t) {
      const uint32_t done = machine_.progress()[t];
      // A wait that has begun may still be notified.
      if (done > 0) study(facts.events_of[t][done - 1]);
      if (limit(t) > done) threads_.push_back(t);
      for (uint32_t s = done; s < limit(t); ++s) study(facts.events_of[t][s]);
    }
    if (space.goal.stops_at_read()) {
      last_read_ = facts.event(space.goal.events.back()).location();
      if (read_locations_set_.insert(last_read_).second) read_locations_.push_back(last_read_);
      looks_at_last_write_ = true;
    }
    // Building longer keys costs more than the states they save.
    constexpr size_t kLongestKey = 4096;
    remember_ = threads_.size() + read_locations_.size() + waits_.size() <= kLongestKey;
  }

  SearchResult run() {
    run_harmless();
    push_choices(0);
    while (!frames_.empty()) {
      if (at_goal(facts_, machine_, space_.goal)) return {SearchOutcome::found, order_, steps_};
      Frame& top = frames_.back();
      if (top.next == top.choices.size()) {
        pop_frame();
        continue;
      }
      if (is_spent()) {
        return {SearchOutcome::budget_spent, {}, steps_};
      }
      const Position choice = top.choices[top.next++];
      const size_t executed = order_.size();
      execute(choice);
      run_harmless();
      if (!at_goal(facts_, machine_, space_.goal) && !is_new_state()) {
        take_back(executed);
        continue;
      }
      push_choices(executed);
    }
    return {SearchOutcome::exhausted, {}, steps_};
  }

 private:
  static constexpr size_t kMostMemory = size_t{256} << 20;
  static constexpr uint64_t kLooksPerStep = 20;

  bool is_spent() const {
    if (budget_ == kNoBudget) return false;
    return steps_ > budget_ || looks_ / kLooksPerStep > budget_ || memory_ > kMostMemory;
  }

  struct Frame {
    size_t executed;  // length of the order when the frame's first event was executed
    std::vector<Position> choices;
    size_t next = 0;
  };

  void study(Position p) {
    const trace::Event& e = facts_.event(p);
    if (is_read(e.kind)) {
      const uint32_t value = facts_.values.wanted(p);
      if (value == ReadValues::kAnything) return;
      if (read_locations_set_.insert(e.location()).second) read_locations_.push_back(e.location());
      readers_[{e.location(), facts_.partner[p]}].push_back(p);
      if (value != ReadValues::kOwnWriter) readers_of_value_[value].push_back(p);
    } else if (e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared) {
      tried_locks_.insert(e.lock());
    } else if (e.kind == trace::EventKind::WaitBegin) {
      waits_.push_back(p);
    }
  }

  // True if executing `p` as soon as it is enabled loses nothing.
  bool is_harmless(Position p) const {
    const trace::Event& e = facts_.event(p);
    using enum trace::EventKind;
    return match(
        e.kind,
        trace::Cases{
            trace::on<trace::kSectionBegins, WaitBegin, trace::kNotifies, Free>(
                [] { return false; }),
            trace::on<Write, AtomicWrite, AtomicRmw>(
                [&] { return !read_locations_set_.contains(e.location()); }),
            trace::on<trace::kReleases>([&] { return !tried_locks_.contains(e.lock()); }),
            trace::on<Read, AtomicRead, Alloc, Fence, trace::kRequests, trace::kFailedTries,
                      trace::kForksAndJoins, trace::kBarriers, trace::kSemaphores, trace::kRemarks>(
                [] { return true; }),
        });
  }

  uint32_t limit(uint32_t thread) const { return space_.window.limits[thread]; }

  bool can_run(uint32_t thread) {
    ++looks_;
    if (machine_.progress()[thread] >= limit(thread)) return false;
    const Position p = machine_.next_of(thread);
    return machine_.enabled(p) && gate_open(machine_, space_.gate, p);
  }

  void execute(Position p) {
    effects_.push_back(machine_.apply(p));
    order_.push_back(p);
    ++steps_;
  }

  void take_back(size_t length) {
    while (order_.size() > length) {
      machine_.undo(order_.back(), effects_.back());
      order_.pop_back();
      effects_.pop_back();
    }
  }

  void run_harmless() {
    for (bool progress = true; progress;) {
      progress = false;
      for (uint32_t thread : threads_) {
        while (can_run(thread) && is_harmless(machine_.next_of(thread))) {
          execute(machine_.next_of(thread));
          progress = true;
        }
      }
    }
  }

  void push_choices(size_t executed) {
    Frame frame{executed, {}};
    for (uint32_t thread : threads_) {
      if (can_run(thread)) frame.choices.push_back(machine_.next_of(thread));
    }
    std::ranges::sort(frame.choices);
    frames_.push_back(std::move(frame));
  }

  void pop_frame() {
    take_back(frames_.back().executed);
    frames_.pop_back();
  }

  // Which remaining reads the last write of the location can serve: all that matters of it. Those
  // that take any write of its value are served by every other write of the same class.
  Position writer_that_matters(LocationId location) const {
    constexpr Position kNobodyCares = kUnknownWriter;
    const Position writer = machine_.last_writer(location);
    if (looks_at_last_write_ && location == last_read_) return writer;
    const uint32_t value =
        writer == kNoPosition ? facts_.values.initial(location) : facts_.values.stored(writer);
    auto remains = [&](Position reader) { return !machine_.happened(reader); };
    if (auto own = readers_.find({location, writer}); own != readers_.end()) {
      const bool wanted = std::ranges::any_of(own->second, [&](Position reader) {
        const bool by_value =
            value != ReadValues::kNoClass && facts_.values.wanted(reader) == value;
        return !by_value && remains(reader);
      });
      if (wanted) return writer;
    }
    auto same = readers_of_value_.find(value);
    if (same == readers_of_value_.end() || !std::ranges::any_of(same->second, remains)) {
      return kNobodyCares;
    }
    return kNobodyCares - value;  // the positions of a trace end before
  }

  bool is_new_state() {
    if (!remember_) return true;
    std::vector<uint32_t> key;
    key.reserve(threads_.size() + read_locations_.size() + waits_.size());
    for (uint32_t thread : threads_) key.push_back(machine_.progress()[thread]);
    for (LocationId location : read_locations_) key.push_back(writer_that_matters(location));
    // Only an un-notified wait that is under way is listed, so this part never reads as another.
    for (Position wait : waits_) {
      if (machine_.is_unnotified(wait)) key.push_back(wait);
    }
    looks_ += key.size();
    memory_ += key.size() * sizeof(uint32_t) + 64;
    return seen_.insert(std::move(key)).second;
  }

  const TraceFacts& facts_;
  const SearchSpace& space_;
  const uint64_t budget_;
  Machine machine_;
  std::vector<uint32_t> threads_;  // those with events to execute
  absl::flat_hash_set<LocationId> read_locations_set_;
  std::vector<LocationId> read_locations_;
  absl::flat_hash_map<std::pair<LocationId, Position>, std::vector<Position>> readers_;
  absl::flat_hash_map<uint32_t, std::vector<Position>> readers_of_value_;  // by class
  absl::flat_hash_set<LockId> tried_locks_;
  std::vector<Position> waits_;
  LocationId last_read_{};  // of the goal's stopped read
  bool looks_at_last_write_ = false;
  bool remember_ = true;

  Interleaving order_;
  std::vector<Machine::Effect> effects_;  // one per event of order_
  std::vector<Frame> frames_;
  absl::flat_hash_set<std::vector<uint32_t>> seen_;
  size_t memory_ = 0;
  uint64_t steps_ = 0;
  uint64_t looks_ = 0;  // events looked at, entries of keys written
};

}  // namespace

SearchResult search(const TraceFacts& facts, const SearchSpace& space, uint64_t budget) {
  return Search(facts, space, budget).run();
}

SearchResult run_in_recorded_order(const TraceFacts& facts, const SearchSpace& space) {
  const Window& window = space.window;
  Machine machine(facts, window.from);
  std::priority_queue<Position, std::vector<Position>, std::greater<>> ready;
  std::vector<Position> blocked;
  SearchResult result{SearchOutcome::exhausted};
  for (size_t t = 0; t < window.limits.size(); ++t) {
    if (window.limits[t] > window.begins[t]) ready.push(facts.events_of[t][window.begins[t]]);
  }
  // A run in which events wait for each other all the time is not worth finishing.
  const uint64_t budget = 1000 + 16 * uint64_t{window.size()};
  while (!ready.empty() && result.steps++ < budget) {
    const Position p = ready.top();
    ready.pop();
    if (!machine.enabled(p) || !gate_open(machine, space.gate, p)) {
      blocked.push_back(p);
      continue;
    }
    machine.apply(p);
    result.order.push_back(p);
    const size_t t = facts.thread_index(p);
    if (machine.progress()[t] < window.limits[t]) ready.push(machine.next_of(t));
    for (Position q : blocked) ready.push(q);
    blocked.clear();
  }
  if (at_goal(facts, machine, space.goal)) result.outcome = SearchOutcome::found;
  return result;
}

}  // namespace foretell::judge
