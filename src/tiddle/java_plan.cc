// SPDX-License-Identifier: Apache-2.0

// Java's locks and conditions.
//
// A monitor section is a block of code, as in the document, if in every thread the sections of that
// lock nest with all others and with function bodies; otherwise the lock is a ReentrantLock. Locks
// in shared mode are ReentrantReadWriteLocks. Conditions belong to a ReentrantLock; Java wakes
// their waiters in the order of waiting, and a woken thread takes its lock back as soon as it is
// free. So a wake can be forced only if nobody else takes the lock between the notify and the wake.
#include "tiddle/java_plan.h"

#include <optional>
#include <utility>

#include "base/check.h"

namespace foretell::tiddle {
namespace {

class JavaPlanner {
 public:
  JavaPlanner(Plan& plan, bool lockstep) : plan_(plan), lockstep_(lockstep) {}

  Result<JavaObjects> run() {
    if (auto ok = check_kinds(); !ok) return std::unexpected(std::move(ok).error());
    choose_locks();
    if (auto ok = plan_conditions(); !ok) return std::unexpected(std::move(ok).error());
    if (lockstep_) {
      if (auto ok = check_waits(); !ok) return std::unexpected(std::move(ok).error());
    }
    plan_fields();
    return std::move(objects_);
  }

 private:
  Result<void> no_counterpart(size_t step, std::string_view what) const {
    return fail_at(plan_.where(step), "Java target: {} has no counterpart", what);
  }

  Result<void> check_kinds() const {
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (e.kind == trace::EventKind::Alloc || e.kind == trace::EventKind::Free) {
        return no_counterpart(step, fmt::format("'{}'", word_of(e.kind)));
      }
      if (is_access(e.kind) && plan_.tables->locations[e.location()].size > 0) {
        return no_counterpart(
            step, fmt::format("the range of bytes {}", plan_.tables->location_name(e.location())));
      }
      const bool bad_order =
          (e.kind == trace::EventKind::AtomicRmw && e.order == MemoryOrder::relaxed) ||
          (e.kind == trace::EventKind::AtomicRead &&
           (e.order == MemoryOrder::release || e.order == MemoryOrder::acq_rel)) ||
          (e.kind == trace::EventKind::AtomicWrite &&
           (e.order == MemoryOrder::acquire || e.order == MemoryOrder::consume ||
            e.order == MemoryOrder::acq_rel));
      if (bad_order) {
        return no_counterpart(step, fmt::format("'{}' with the order '{}'", word_of(e.kind),
                                                trace::word_of(e.order)));
      }
      const bool is_try =
          e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared;
      if (is_try && plan_.locks[to_index(e.lock())].own_try && lockstep_) {
        return no_counterpart(step, "a try that fails because its own thread holds the lock");
      }
    }
    return {};
  }

  void choose_locks() {
    objects_.locks.assign(plan_.locks.size(), JavaLock::synchronized_block);
    for (size_t i = 0; i < plan_.locks.size(); ++i) {
      if (plan_.locks[i].waited) objects_.locks[i] = JavaLock::reentrant;
    }
    for (const trace::Event& e : plan_.events) {
      if (e.kind == trace::EventKind::TryFail)
        objects_.locks[to_index(e.lock())] = JavaLock::reentrant;
    }
    for (size_t i = 0; i < plan_.locks.size(); ++i) {
      if (plan_.locks[i].shared) objects_.locks[i] = JavaLock::read_write;
    }
    // A lock that does not nest leaves the others with one section less to nest with.
    auto not_nested = [&]() -> std::optional<LockId> {
      for (const ThreadPlan& thread : plan_.threads) {
        if (auto lock = find_not_nested(thread.code)) return lock;
      }
      return {};
    };
    while (auto lock = not_nested()) objects_.locks[to_index(*lock)] = JavaLock::reentrant;
  }

  // The first synchronized lock whose section does not lie properly within this piece of code.
  std::optional<LockId> find_not_nested(const std::vector<Node>& code) const {
    std::vector<LockId> open;
    for (const Node& node : code) {
      if (node.function != kNever) {
        if (auto lock = find_not_nested(node.body)) return lock;
        continue;
      }
      const trace::Event& e = plan_.events[node.step];
      if (e.kind != trace::EventKind::Acquire && e.kind != trace::EventKind::Release) continue;
      if (objects_.locks[to_index(e.lock())] != JavaLock::synchronized_block) continue;
      if (e.kind == trace::EventKind::Acquire) {
        open.push_back(e.lock());
      } else if (open.empty() || open.back() != e.lock()) {
        return e.lock();
      } else {
        open.pop_back();
      }
    }
    if (!open.empty()) return open.back();
    return {};
  }

  Result<void> plan_conditions() {
    constexpr LockId kNone{UINT32_MAX};
    objects_.lock_of_condition.assign(plan_.conditions.size(), kNone);
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (e.kind != trace::EventKind::WaitBegin) continue;
      LockId& lock = objects_.lock_of_condition[e.object];
      if (lock != kNone && lock != e.lock()) {
        return no_counterpart(
            step, fmt::format("condition {} with two locks", plan_.conditions[e.object].name));
      }
      lock = e.lock();
    }
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (e.kind != trace::EventKind::NotifyOne && e.kind != trace::EventKind::NotifyAll) continue;
      const LockId lock = objects_.lock_of_condition[e.object];
      if (lock == kNone || !holds(e.thread, lock, step)) {
        return no_counterpart(step, fmt::format("a notify of condition {} without its lock",
                                                plan_.conditions[e.object].name));
      }
    }
    return {};
  }

  bool holds(ThreadId thread, LockId lock, size_t step) const {
    int depth = 0;
    int given_up = 0;
    for (size_t i = 0; i < step; ++i) {
      const trace::Event& e = plan_.events[i];
      if (e.thread != thread) continue;
      if (e.kind == trace::EventKind::Acquire && e.lock() == lock) ++depth;
      if (e.kind == trace::EventKind::Release && e.lock() == lock) --depth;
      if (e.kind == trace::EventKind::WaitBegin && e.lock() == lock)
        given_up = std::exchange(depth, 0);
      if (e.kind == trace::EventKind::WaitEnd && e.lock() == lock) depth = given_up;
    }
    return depth > 0;
  }

  Result<void> check_waits() const {
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (e.kind == trace::EventKind::NotifyOne || e.kind == trace::EventKind::NotifyAll) {
        if (auto ok = check_notify(step, e); !ok) return ok;
      }
      if (e.kind != trace::EventKind::WaitBegin) continue;
      const WaitPlan& wait = plan_.waits[step];
      if (wait.wake == kNever) continue;
      const size_t from = wait.notify == kNever ? step : wait.notify;
      for (size_t i = from + 1; i < wait.wake; ++i) {
        if (takes_before(plan_.events[i], i, e, step)) {
          return fail_at(plan_.where(wait.wake),
                         "Java target: thread {} takes lock {} back as soon as it is free, but "
                         "thread {} uses it before (event {})",
                         plan_.thread_name(e), plan_.locks[to_index(e.lock())].name,
                         plan_.thread_name(plan_.events[i]), i);
        }
      }
    }
    return {};
  }

  // Whether event i of another thread takes the lock of a wait that was already notified.
  bool takes_before(const trace::Event& other, size_t i, const trace::Event& e,
                    size_t wait_step) const {
    if (other.thread == e.thread) return false;
    const bool takes =
        other.kind == trace::EventKind::Acquire || other.kind == trace::EventKind::AcquireShared ||
        other.kind == trace::EventKind::TryFail || other.kind == trace::EventKind::TryFailShared ||
        other.kind == trace::EventKind::WaitEnd;
    if (!takes || other.lock() != e.lock()) return false;
    if (other.kind != trace::EventKind::WaitEnd) return true;
    const size_t its_wait = plan_.wait_of_wake[i];
    const size_t its_notify = plan_.waits[its_wait].notify;
    const size_t notify = plan_.waits[wait_step].notify;
    // Threads woken before this one stand before it in the queue of the lock.
    const bool before = its_notify != kNever && notify != kNever &&
                        (its_notify < notify || (its_notify == notify && its_wait < wait_step));
    return !before;
  }

  Result<void> check_notify(size_t step, const trace::Event& e) const {
    for (size_t i = 0; i < step; ++i) {
      const trace::Event& w = plan_.events[i];
      if (w.kind != trace::EventKind::WaitBegin || w.object != e.object) continue;
      const WaitPlan& wait = plan_.waits[i];
      const bool spurious = wait.wake != kNever && wait.notify == kNever;
      const bool notified = wait.notify != kNever && wait.notify < step;
      if (spurious || notified || (wait.wake != kNever && wait.wake < step)) continue;
      if (wait.notify != step) {
        return fail_at(plan_.where(step),
                       "Java target: this wakes thread {}, the longest waiter on condition {}, "
                       "which it does not in the trace",
                       plan_.thread_name(w), plan_.conditions[e.object].name);
      }
      if (e.kind == trace::EventKind::NotifyOne) return {};
    }
    return {};
  }

  void plan_fields() {
    auto fits = [](uint64_t value) {
      const auto v = static_cast<int64_t>(value);
      return v >= INT32_MIN && v <= INT32_MAX;
    };
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (!is_access(e.kind)) continue;
      auto [it, fresh] = objects_.fields.try_emplace(e.location());
      JavaField& field = it->second;
      if (fresh) {
        field.name = plan_.tables->location_name(e.location());
        field.identifier = plan_.names.add(field.name, "location");
        field.is_volatile = true;
        objects_.field_order.push_back(e.location());
      }
      field.wide |= (e.has_value() && !fits(e.value)) || !fits(plan_.stored[step]) ||
                    (e.has_read_value() && !fits(e.extra));
      field.is_volatile &= is_atomic_access(e.kind) && e.kind != trace::EventKind::AtomicRmw &&
                           e.order == MemoryOrder::seq_cst;
      field.handle |= is_atomic_access(e.kind);
    }
    for (LocationId location : objects_.field_order) {
      JavaField& field = objects_.fields.at(location);
      field.handle &= !field.is_volatile;
      if (field.handle) field.handle_identifier = plan_.names.add(field.identifier + "_handle", "");
    }
  }

  Plan& plan_;
  bool lockstep_;
  JavaObjects objects_;
};

}  // namespace

Result<JavaObjects> plan_java(Plan& plan, bool lockstep) {
  return JavaPlanner(plan, lockstep).run();
}

}  // namespace foretell::tiddle
