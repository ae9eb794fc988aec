#include "order/search.h"

#include <algorithm>
#include <queue>

namespace foretell {
namespace {

bool gate_open(const Machine& machine, const Gate& gate, Position p) {
  if (gate.empty()) return true;
  auto it = gate.find(p);
  return it == gate.end() ||
         std::ranges::all_of(it->second, [&](Position q) { return machine.happened(q); });
}

class Search {
 public:
  Search(const TraceFacts& facts, const SearchSpace& space, uint64_t budget)
      : facts_(facts), space_(space), budget_(budget), machine_(facts) {
    for (Position p : space.start) {
      if (!machine_.enabled(p)) break;
      execute(p);
    }
    base_ = order_.size();
    steps_ = 0;
    for (uint32_t t = 0; t < space.limits.size(); ++t) {
      // A wait that has begun may still be notified.
      const uint32_t done = machine_.progress()[t];
      if (done > 0) study(facts.events_of[t][done - 1]);
      if (space.limits[t] > done) threads_.push_back(t);
      for (uint32_t s = done; s < space.limits[t]; ++s) study(facts.events_of[t][s]);
    }
    // Building longer keys costs more than the states they save.
    constexpr size_t kLongestKey = 4096;
    remember_ = threads_.size() + read_locations_.size() + waits_.size() <= kLongestKey;
  }

  SearchResult run() {
    run_harmless();
    push_choices(base_);
    while (!frames_.empty()) {
      if (at_race()) return {SearchOutcome::found, order_, steps_};
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
      if (!at_race() && !is_new_state()) {
        take_back(executed);
        continue;
      }
      push_choices(executed);
    }
    return {SearchOutcome::exhausted, {}, steps_};
  }

 private:
  static constexpr size_t kMostMemory = size_t{256} << 20;
  static constexpr uint64_t kLooksPerStep = 50;

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
    const Event& e = facts_.event(p);
    if (is_read(e.kind)) {
      if (read_locations_set_.insert(e.location()).second) read_locations_.push_back(e.location());
      readers_[{e.location(), facts_.partner[p]}].push_back(p);
    } else if (e.kind == EventKind::TryFail || e.kind == EventKind::TryFailShared) {
      tried_locks_.insert(e.lock());
    } else if (e.kind == EventKind::WaitBegin) {
      waits_.push_back(p);
    }
  }

  // True if executing `p` as soon as it is enabled loses nothing.
  bool is_harmless(Position p) const {
    const Event& e = facts_.event(p);
    switch (e.kind) {
      case EventKind::Acquire:
      case EventKind::AcquireShared:
      case EventKind::WaitBegin:
      case EventKind::WaitEnd:
      case EventKind::NotifyOne:
      case EventKind::NotifyAll:
      case EventKind::Free:
        return false;
      case EventKind::Write:
      case EventKind::AtomicWrite:
      case EventKind::AtomicRmw:
        return !read_locations_set_.contains(e.location());
      case EventKind::Release:
      case EventKind::ReleaseShared:
        return !tried_locks_.contains(e.lock());
      case EventKind::Read:
      case EventKind::AtomicRead:
      case EventKind::Fork:
      case EventKind::Join:
      case EventKind::BlockBegin:
      case EventKind::BlockEnd:
      case EventKind::ThreadBegin:
      case EventKind::ThreadEnd:
      case EventKind::Fence:
      case EventKind::Request:
      case EventKind::RequestShared:
      case EventKind::TryFail:
      case EventKind::TryFailShared:
      case EventKind::BarrierEnter:
      case EventKind::BarrierExit:
      case EventKind::SemaphorePost:
      case EventKind::SemaphoreWait:
      case EventKind::FunctionEnter:
      case EventKind::FunctionExit:
      case EventKind::Branch:
      case EventKind::Alloc:
      case EventKind::User:
        return true;
    }
    return false;
  }

  bool can_run(uint32_t thread) {
    ++looks_;
    if (machine_.progress()[thread] >= space_.limits[thread]) return false;
    const Position p = machine_.next_of(thread);
    return machine_.enabled(p) && gate_open(machine_, space_.gate, p);
  }

  bool at_race() const {
    auto is_next = [&](Position p) {
      return machine_.progress()[facts_.thread_index(p)] == facts_.step[p];
    };
    return is_next(space_.first) && is_next(space_.second) &&
           !machine_.why_no_race(space_.first, space_.second);
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

  // Which remaining reads the last write of the location can serve: all that matters of it.
  Position writer_that_matters(LocationId location) const {
    constexpr Position kNobodyCares = kNoPosition - 1;
    const Position writer = machine_.last_writer(location);
    auto readers = readers_.find({location, writer});
    if (readers == readers_.end()) return kNobodyCares;
    const bool wanted = std::ranges::any_of(
        readers->second, [&](Position reader) { return !machine_.happened(reader); });
    return wanted ? writer : kNobodyCares;
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
  absl::flat_hash_set<LockId> tried_locks_;
  std::vector<Position> waits_;
  bool remember_ = true;

  Interleaving order_;
  std::vector<Machine::Effect> effects_;  // one per event of order_
  std::vector<Frame> frames_;
  absl::flat_hash_set<std::vector<uint32_t>> seen_;
  size_t memory_ = 0;
  uint64_t steps_ = 0;
  uint64_t looks_ = 0;  // events looked at, entries of keys written
  size_t base_ = 0;     // length of the start
};

}  // namespace

Interleaving in_recorded_order(const TraceFacts& facts, const std::vector<uint32_t>& limits) {
  std::priority_queue<Position, std::vector<Position>, std::greater<>> next;
  for (size_t t = 0; t < limits.size(); ++t) {
    if (limits[t] > 0) next.push(facts.events_of[t][0]);
  }
  Interleaving order;
  while (!next.empty()) {
    const Position p = next.top();
    next.pop();
    order.push_back(p);
    const size_t t = facts.thread_index(p);
    if (facts.step[p] + 1 < limits[t]) next.push(facts.events_of[t][facts.step[p] + 1]);
  }
  return order;
}

SearchResult search_race(const TraceFacts& facts, const SearchSpace& space, uint64_t budget) {
  return Search(facts, space, budget).run();
}

SearchResult run_in_recorded_order(const TraceFacts& facts, const SearchSpace& space) {
  Machine machine(facts);
  std::priority_queue<Position, std::vector<Position>, std::greater<>> ready;
  std::vector<Position> blocked;
  SearchResult result{SearchOutcome::exhausted};
  size_t wanted = 0;
  for (size_t t = 0; t < space.limits.size(); ++t) {
    if (space.limits[t] > 0) ready.push(facts.events_of[t][0]);
    wanted += space.limits[t];
  }
  // A run in which events wait for each other all the time is not worth finishing.
  const uint64_t budget = 1000 + 16 * uint64_t{wanted};
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
    if (machine.progress()[t] < space.limits[t]) ready.push(machine.next_of(t));
    for (Position q : blocked) ready.push(q);
    blocked.clear();
  }
  if (!machine.why_no_race(space.first, space.second)) result.outcome = SearchOutcome::found;
  return result;
}

}  // namespace foretell
