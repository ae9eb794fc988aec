// SPDX-License-Identifier: Apache-2.0

#include "tiddle/plan.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "base/check.h"
#include "trace/normalizer.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::tiddle {
namespace {

template <class Id>
NamedObject& object_in(std::vector<NamedObject>& rows, Id id) {
  if (to_index(id) >= rows.size()) rows.resize(to_index(id) + 1);
  rows[to_index(id)].used = true;
  return rows[to_index(id)];
}

class Planner {
 public:
  explicit Planner(Plan& plan) : plan_(plan), partner_(plan.events.size(), kNever) {
    const size_t count = plan.events.size();
    plan.texts.resize(count);
    plan.stored.resize(count);
    plan.waits.resize(count);
    plan.wait_of_wake.assign(count, kNever);
    plan.locks.resize(plan.tables->locks.size());
    states_.resize(plan.tables->locks.size());
  }

  Result<void> run() {
    for (const trace::Event& e : plan_.normal) {
      const bool partnered =
          e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait;
      const bool at_barrier =
          e.kind == trace::EventKind::BarrierEnter || e.kind == trace::EventKind::BarrierExit;
      if (partnered && e.partner() != kNoEvent) partner_[to_index(e.index)] = to_index(e.partner());
      if (at_barrier) partner_[to_index(e.index)] = e.generation();
    }
    for (size_t step = 0; step < plan_.events.size(); ++step) visit(step);
    for (const auto& [thread, wait] : waiting_) thread_plan(thread).abandoned = true;
    name_objects();
    return check_barriers();
  }

 private:
  struct LockState {
    uint32_t depth = 0;
    ThreadId holder{};
    std::vector<ThreadId> readers;
  };
  struct Generation {
    uint64_t entered = 0;
    size_t first_leave = kNever;
    size_t last_enter = 0;
  };

  ThreadPlan& thread_plan(ThreadId id) {
    auto [it, fresh] = threads_.try_emplace(id, plan_.threads.size());
    if (fresh) {
      plan_.threads.push_back({.id = id, .name = std::string(plan_.tables->threads[id])});
    }
    return plan_.threads[it->second];
  }

  void visit(size_t step) {
    const trace::Event& e = plan_.events[step];
    CHECK(to_index(e.index) == step);
    print_tiddle_event(e, *plan_.tables, plan_.texts[step]);
    plan_.texts[step].pop_back();
    thread_plan(e.thread).last_step = step;
    switch (e.kind) {
      case trace::EventKind::Fork:
        thread_plan(e.other_thread()).forked_at = step;
        break;
      case trace::EventKind::Join:
        thread_plan(e.other_thread()).joined_at = step;
        break;
      case trace::EventKind::ThreadEnd:
        thread_plan(e.thread).has_exit = true;
        break;
      case trace::EventKind::Acquire:
      case trace::EventKind::Release:
      case trace::EventKind::AcquireShared:
      case trace::EventKind::ReleaseShared:
      case trace::EventKind::TryFail:
      case trace::EventKind::TryFailShared:
        visit_lock(e);
        break;
      case trace::EventKind::WaitBegin:
      case trace::EventKind::WaitEnd:
        visit_wait(step, e);
        break;
      case trace::EventKind::NotifyOne:
      case trace::EventKind::NotifyAll:
        object_in(plan_.conditions, e.condition());
        break;
      case trace::EventKind::BarrierEnter:
      case trace::EventKind::BarrierExit:
        visit_barrier(step, e);
        break;
      case trace::EventKind::SemaphorePost:
        object_in(plan_.semaphores, e.semaphore());
        break;
      case trace::EventKind::SemaphoreWait:
        // Every down that no post serves needs one unit of the initial count.
        object_in(plan_.semaphores, e.semaphore()).count += partner_[step] == kNever ? 1 : 0;
        break;
      case trace::EventKind::Read:
      case trace::EventKind::Write:
      case trace::EventKind::AtomicRead:
      case trace::EventKind::AtomicWrite:
      case trace::EventKind::AtomicRmw:
      case trace::EventKind::Fence:
      case trace::EventKind::Request:
      case trace::EventKind::RequestShared:
      case trace::EventKind::BlockBegin:
      case trace::EventKind::BlockEnd:
      case trace::EventKind::ThreadBegin:
      case trace::EventKind::FunctionEnter:
      case trace::EventKind::FunctionExit:
      case trace::EventKind::Branch:
      case trace::EventKind::Alloc:
      case trace::EventKind::Free:
      case trace::EventKind::DestroyLock:
      case trace::EventKind::DestroyCondition:
      case trace::EventKind::DestroyBarrier:
      case trace::EventKind::DestroySemaphore:
      case trace::EventKind::User:
        break;
    }
  }

  void visit_lock(const trace::Event& e) {
    LockPlan& lock = plan_.locks[to_index(e.lock())];
    LockState& state = states_[to_index(e.lock())];
    lock.used = true;
    const bool mine = state.depth > 0 && state.holder == e.thread;
    const bool reads = std::ranges::find(state.readers, e.thread) != state.readers.end();
    if (e.kind == trace::EventKind::Acquire) {
      lock.reentrant |= mine;
      state.holder = e.thread;
      ++state.depth;
    } else if (e.kind == trace::EventKind::Release) {
      --state.depth;
    } else if (e.kind == trace::EventKind::TryFail) {
      lock.own_try |= mine || reads;
    } else {
      lock.shared = true;
      lock.own_try |= e.kind == trace::EventKind::TryFailShared && mine;
      if (e.kind == trace::EventKind::AcquireShared) state.readers.push_back(e.thread);
      if (e.kind == trace::EventKind::ReleaseShared) {
        state.readers.erase(std::ranges::find(state.readers, e.thread));
      }
    }
  }

  void visit_wait(size_t step, const trace::Event& e) {
    object_in(plan_.conditions, e.condition());
    LockPlan& lock = plan_.locks[to_index(e.lock())];
    LockState& state = states_[to_index(e.lock())];
    lock.used = lock.waited = true;
    if (e.kind == trace::EventKind::WaitBegin) {
      plan_.waits[step].depth = state.depth;
      state.depth = 0;
      waiting_[e.thread] = step;
      return;
    }
    const size_t wait = waiting_[e.thread];
    waiting_.erase(e.thread);
    plan_.wait_of_wake[step] = wait;
    plan_.waits[wait].wake = step;
    plan_.waits[wait].notify = partner_[step];
    state.depth = plan_.waits[wait].depth;
    state.holder = e.thread;
  }

  void visit_barrier(size_t step, const trace::Event& e) {
    object_in(plan_.barriers, e.barrier());
    auto& generations = generations_[e.barrier()];
    if (partner_[step] >= generations.size()) generations.resize(partner_[step] + 1);
    Generation& generation = generations[partner_[step]];
    if (e.kind == trace::EventKind::BarrierEnter) {
      ++generation.entered;
      generation.last_enter = step;
    } else if (generation.first_leave == kNever) {
      generation.first_leave = step;
    }
  }

  // A barrier has one number of parties for all its life.
  Result<void> check_barriers() {
    for (size_t i = 0; i < plan_.barriers.size(); ++i) {
      NamedObject& barrier = plan_.barriers[i];
      if (!barrier.used) continue;
      const auto& generations = generations_[BarrierId{static_cast<uint32_t>(i)}];
      barrier.count = generations[0].entered;
      for (size_t g = 0; g < generations.size(); ++g) {
        const bool opened = generations[g].first_leave != kNever;
        const bool fits = opened ? generations[g].entered == barrier.count
                                 : generations[g].entered <= barrier.count;
        if (fits) continue;
        return fail_at(plan_.where(opened ? generations[g].first_leave : generations[g].last_enter),
                       "barrier {} has {} parties in generation 0 but {} in generation {}: a real "
                       "barrier has one number of parties",
                       barrier.name, barrier.count, generations[g].entered, g);
      }
    }
    return {};
  }

  void name_objects() {
    Names& names = plan_.names;
    for (size_t i = 0; i < plan_.locks.size(); ++i) {
      LockPlan& lock = plan_.locks[i];
      if (!lock.used) continue;
      lock.name = plan_.tables->locks[LockId{static_cast<uint32_t>(i)}];
      lock.identifier = names.add(lock.name, "lock");
    }
    auto name_all = [&](std::vector<NamedObject>& rows, const auto& table,
                        std::string_view prefix) {
      for (size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].used) continue;
        using Id = decltype(table.find("", {}));
        rows[i].name = table[static_cast<Id>(i)];
        rows[i].identifier = names.add(rows[i].name, prefix);
      }
    };
    name_all(plan_.conditions, plan_.tables->conditions, "condition");
    name_all(plan_.barriers, plan_.tables->barriers, "barrier");
    name_all(plan_.semaphores, plan_.tables->semaphores, "semaphore");
    for (ThreadPlan& thread : plan_.threads) thread.identifier = names.add(thread.name, "t");
    for (ThreadPlan& thread : plan_.threads) {
      thread.body = names.add("run_" + thread.identifier, "");
      thread.arrival = names.add("arrival_" + thread.identifier, "");
    }
  }

  Plan& plan_;
  std::vector<size_t> partner_;  // by event: partner or generation in the normalized trace
  absl::flat_hash_map<ThreadId, size_t> threads_;
  absl::flat_hash_map<ThreadId, size_t> waiting_;  // the wait each thread is in
  absl::flat_hash_map<BarrierId, std::vector<Generation>> generations_;
  std::vector<LockState> states_;
};

}  // namespace

const ThreadPlan& Plan::thread(ThreadId id) const {
  auto found = std::ranges::find(threads, id, &ThreadPlan::id);
  CHECK(found != threads.end());
  return *found;
}

Result<Plan> make_plan(const TraceView& trace, const CompileOptions& options) {
  Plan plan(trace.tables, trace.events);
  trace::Normalizer normalizer(trace.tables, std::make_unique<trace::CellMap>(trace.tables));
  if (auto done = normalizer.run(trace.events, plan.normal); !done) {
    Diagnostic diagnostic = std::move(done).error();
    diagnostic.where = plan.where(to_index(normalizer.failed_at()));
    return std::unexpected(std::move(diagnostic));
  }
  plan.names.add(options.name, "program");
  if (auto done = Planner(plan).run(); !done) return std::unexpected(std::move(done).error());
  if (auto done = plan_code(plan, options.blocks_as_functions); !done) {
    return std::unexpected(std::move(done).error());
  }
  std::vector<trace::Location> cells;
  cells.reserve(normalizer.location_count());
  for (uint32_t i = 0; i < normalizer.location_count(); ++i) {
    cells.push_back(normalizer.location(LocationId{i}));
  }
  if (auto done = plan_values(plan, cells); !done) return std::unexpected(std::move(done).error());
  return plan;
}

}  // namespace foretell::tiddle
