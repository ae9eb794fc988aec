// SPDX-License-Identifier: Apache-2.0

// Library calls: locks, threads, conditions, barriers, semaphores, and the rest.

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>

#include "static_analysis/preparation/prepare.h"
#include "static_analysis/preparation/thread_copies.h"
#include "static_analysis/product/machine.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

using Kind = Value::Kind;

constexpr uint32_t kMaxInstances = 8;
constexpr uint64_t kMaxCount = 40;
constexpr Value kZero{.kind = Kind::number};
constexpr Value kOnceRunning{.kind = Kind::number, .bits = 1};
constexpr Value kOnceDone{.kind = Kind::number, .bits = 2};

bool ends_this_thread(llvm::StringRef name) {
  return name == "pthread_exit" || name == "thrd_exit";
}

// What makes threads end, or run code, at points the product does not see.
bool is_beyond_product(llvm::StringRef name) {
  return name == "pthread_cancel" || name == "pthread_kill" || name == "pthread_cleanup_push" ||
         name == "pthread_atfork" || name == "pthread_key_create" || name == "tss_create" ||
         name == "pthread_testcancel" || name.starts_with("__pthread_") ||
         name == "pthread_mutexattr_setrobust" || name.starts_with("pthread_tryjoin") ||
         name.starts_with("pthread_timedjoin") || name == "pthread_setcanceltype" ||
         name.starts_with("pthread_rwlockattr_");
}

// Of a try: EBUSY, ETIMEDOUT, thrd_busy, thrd_timedout.
uint64_t failure_of(llvm::StringRef name) {
  if (name.starts_with("mtx_")) return name == "mtx_timedlock" ? 4 : 1;
  return name.contains("timed") ? 110 : 16;
}

bool returns_zero(llvm::StringRef name) {
  return name.ends_with("_init") || name.ends_with("_destroy") || name.ends_with("_signal") ||
         name.ends_with("_broadcast") || name.ends_with("_lock") || name.ends_with("_unlock") ||
         name.ends_with("lock") || name == "pthread_join" || name == "pthread_detach" ||
         name == "sem_post" || name == "sem_wait" || name.starts_with("pthread_attr_set") ||
         name.starts_with("pthread_mutexattr_set");
}

// Functions that write to locks and the like, and to nothing that a program may read.
bool is_opaque(llvm::StringRef name) {
  if (name.contains("_get") || name.contains("attr_")) return false;
  for (const char* prefix : {"pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_spin_",
                             "pthread_barrier_", "mtx_", "cnd_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

std::optional<Spot> Machine::spot_of(const Value& pointer) const {
  if (pointer.kind != Kind::pointer || places_[pointer.id].is_summary) return {};
  return Spot{pointer.id, static_cast<uint32_t>(pointer.bits)};
}

bool Machine::is_free(const State& state, size_t index, const Spot& lock, bool shared) const {
  for (size_t i = 0; i < state.threads.size(); i++) {
    if (i == index) continue;
    for (const Holding& one : state.threads[i].held)
      if (one.lock == lock && !(shared && one.shared)) return false;
  }
  return true;
}

Machine::Next Machine::acquire(State& state, size_t index, const Value& lock, bool shared) {
  const auto spot = lock.kind == Kind::number && lock.id == kAtomicSection
                        ? std::optional(Spot{kAtomicSection, 0})
                        : spot_of(lock);
  // A lock nobody can name keeps nobody out.
  if (!spot) return Next::next;
  if (!is_free(state, index, *spot, shared)) return Next::drop;
  std::vector<Holding>& held = state.threads[index].held;
  for (Holding& one : held)
    if (one.lock == *spot) {
      if (one.times >= 4) return fail("a lock taken again and again");
      one.times++;
      return Next::next;
    }
  held.push_back({.lock = *spot, .shared = shared});
  std::ranges::sort(held);
  return Next::next;
}

Machine::Next Machine::release(State& state, size_t index, const Value& lock) {
  std::vector<Holding>& held = state.threads[index].held;
  const auto spot = lock.kind == Kind::number && lock.id == kAtomicSection
                        ? std::optional(Spot{kAtomicSection, 0})
                        : spot_of(lock);
  if (!spot) {
    // It may be any of those.
    std::erase_if(held, [](const Holding& one) { return one.lock.object != kAtomicSection; });
    return Next::next;
  }
  const auto found =
      std::ranges::find_if(held, [&](const Holding& one) { return one.lock == *spot; });
  if (found == held.end()) {
    if (!is_free(state, index, *spot, false)) return fail("a lock that another thread gives back");
    return Next::next;
  }
  if (--found->times == 0) held.erase(found);
  return Next::next;
}

Machine::Next Machine::start_thread(State& state, size_t index, const llvm::CallBase& call) {
  const ThreadStart start = *thread_start(call);
  const Value function = value_of(*start.function, state.threads[index]);
  const std::vector<ThreadId>* kinds = rules_.threads.started_by(call);
  if (function.kind != Kind::function || !kinds) return fail("a thread whose function is unknown");
  const auto* root = reinterpret_cast<const llvm::Function*>(function.bits);
  std::optional<ThreadId> kind;
  for (ThreadId one : *kinds)
    if (rules_.threads[one].root == root) kind = one;
  if (!kind) return fail("a thread whose function is unknown");

  ThreadState started{.kind = number(*kind)};
  started.is_crowd = coarseness_.crowds.contains(started.kind);
  if (started.is_crowd) {
    if (coarseness_.barriers) lost_barriers_ = true;
  } else {
    const auto in_use = [&](uint32_t instance) {
      return std::ranges::any_of(state.threads, [&](const ThreadState& thread) {
        return thread.kind == started.kind && thread.instance == instance &&
               thread.phase != Phase::gone;
      });
    };
    while (started.instance < kMaxInstances && in_use(started.instance)) started.instance++;
    if (started.instance == kMaxInstances) {
      crowded_.insert(started.kind);
      return fail("more threads than are told apart");
    }
  }
  Frame frame{.code = &codes_.of(*root)};
  if (root->arg_size() > 0 && relevance_.is_relevant(*root->getArg(0)))
    frame.write(frame.code->slot_of(*root->getArg(0)),
                value_of(*start.argument, state.threads[index]));
  started.frames.push_back(std::move(frame));
  const Value handle =
      started.is_crowd ? Value{} : Value{.kind = Kind::thread, .id = started.handle()};
  const uint32_t size = static_cast<uint32_t>(call.getDataLayout().getPointerSize());
  const Value pointer = value_of(*start.handle, state.threads[index]);
  set(state.threads[index], call, {});
  state.threads.push_back(std::move(started));
  return store(state, pointer, *start.handle, size, handle);
}

Machine::Next Machine::join_thread(State& state, size_t index, const llvm::CallBase& call) {
  const Value handle = value_of(*joined_handle(call), state.threads[index]);
  if (handle.kind == Kind::thread) {
    for (ThreadState& thread : state.threads) {
      if (thread.is_crowd || thread.handle() != handle.id || thread.phase == Phase::gone) continue;
      if (thread.phase != Phase::finished) return Next::drop;
      thread.phase = Phase::gone;
    }
  }
  set(state.threads[index], call, kZero);
  const llvm::Value& result = *call.getArgOperand(1);
  const Value pointer = value_of(result, state.threads[index]);
  if (pointer == kZero) return Next::next;
  return store(state, pointer, result, static_cast<uint32_t>(call.getDataLayout().getPointerSize()),
               {});
}

// A wait may end at any time: spurious wake-ups.
Machine::Next Machine::wait_for_condition(State& state, size_t index, const Value& mutex) {
  ThreadState& thread = state.threads[index];
  if (thread.phase == Phase::running) {
    if (release(state, index, mutex) == Next::drop) return Next::drop;
    thread.phase = Phase::reacquiring;
    return Next::stop;
  }
  if (acquire(state, index, mutex, false) == Next::drop) return Next::drop;
  thread.phase = Phase::running;
  return Next::next;
}

Machine::Next Machine::wait_at_barrier(State& state, size_t index, const llvm::CallBase& call) {
  ThreadState& thread = state.threads[index];
  set(thread, call, {});
  if (!coarseness_.barriers) return Next::next;
  if (thread.phase == Phase::past_barrier) {
    thread.phase = Phase::running;
    return Next::next;
  }
  const auto spot = spot_of(value_of(*call.getArgOperand(0), thread));
  const Cell* total = spot ? state.find({spot->object, spot->offset | kCounter}) : nullptr;
  if (!total || total->value.kind != Kind::number || thread.is_crowd) {
    lost_barriers_ = true;
    return fail("a barrier whose threads are not counted");
  }
  std::vector<ThreadState*> waiting;
  for (ThreadState& other : state.threads) {
    if (other.phase != Phase::at_barrier) continue;
    const Frame& frame = other.frames.back();
    const auto& at = llvm::cast<llvm::CallBase>((*frame.code)[frame.at]);
    if (spot_of(value_of(*at.getArgOperand(0), other)) == spot) waiting.push_back(&other);
  }
  if (waiting.size() + 1 < total->value.bits) {
    thread.phase = Phase::at_barrier;
    return Next::stop;
  }
  for (ThreadState* other : waiting) other->phase = Phase::past_barrier;
  return Next::next;
}

// Who comes first runs the routine, and the others wait for its end.
Machine::Next Machine::run_once(State& state, size_t index, const llvm::CallBase& call) {
  ThreadState& thread = state.threads[index];
  const auto spot = spot_of(value_of(*call.getArgOperand(0), thread));
  const Value routine = value_of(*call.getArgOperand(1), thread);
  if (!spot || routine.kind != Kind::function) return fail("a routine that is run once");
  const auto* callee = reinterpret_cast<const llvm::Function*>(routine.bits);
  if (callee->isDeclaration()) return fail("a routine that is run once");
  set(thread, call, kZero);
  const Spot mark{spot->object, spot->offset | kCounter};
  const Cell* known = state.find(mark);
  if (known && known->value == kOnceDone) return Next::next;
  if (known) return Next::drop;
  state.put(mark, 1, kOnceRunning);
  return enter(state, index, call, *callee);
}

void Machine::end_once(State& state, size_t index, const llvm::CallBase& call) {
  const auto spot = spot_of(value_of(*call.getArgOperand(0), state.threads[index]));
  if (!spot) return;
  state.put({spot->object, spot->offset | kCounter}, 1, kOnceDone);
}

Machine::Next Machine::use_semaphore(State& state, size_t index, const llvm::CallBase& call) {
  ThreadState& thread = state.threads[index];
  const SemaphoreOperation operation = *semaphore_operation(call);
  const auto spot = spot_of(value_of(*operation.semaphore, thread));
  const bool may_fail = operation.action == SemaphoreAction::other;
  set(thread, call, may_fail ? Value{} : kZero);
  if (!spot) {
    // One that cannot be named may be any: then none keeps anybody waiting.
    if (operation.action == SemaphoreAction::post || operation.action == SemaphoreAction::init)
      return fail("a semaphore nobody can name");
    return Next::next;
  }
  const Spot counter{spot->object, spot->offset | kCounter};
  const Cell* known = state.find(counter);
  const Value count = known ? known->value : Value{};
  switch (operation.action) {
    case SemaphoreAction::init: {
      const Value first = value_of(*call.getArgOperand(2), thread);
      state.put(counter, 1, first.kind == Kind::number && first.bits < kMaxCount ? first : Value{});
      return Next::next;
    }
    case SemaphoreAction::post:
      if (count.kind == Kind::number)
        state.put(counter, 1,
                  count.bits + 1 < kMaxCount ? Value{.kind = Kind::number, .bits = count.bits + 1}
                                             : Value{});
      return Next::next;
    case SemaphoreAction::wait:
      if (count.kind != Kind::number) return Next::next;
      if (count.bits == 0) return Next::drop;
      state.put(counter, 1, {.kind = Kind::number, .bits = count.bits - 1});
      return Next::next;
    case SemaphoreAction::other:
      break;
  }
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (name == "sem_destroy") return Next::next;
  // What else writes through its arguments writes anything; a try may take one, or not.
  for (const bitcode::Node pointer : written_by_calls_[&call])
    blur_targets(state, rules_.points_to.solution().targets_of(pointer));
  if (name == "sem_getvalue") return Next::next;
  if (count.kind == Kind::number && count.bits > 0) {
    State& other = fork(state);
    other.put(counter, 1, {.kind = Kind::number, .bits = count.bits - 1});
    set(other.threads[index], call, kZero);
    other.threads[index].frames.back().at++;
  }
  const auto minus_one = llvm::APInt::getAllOnes(call.getType()->getIntegerBitWidth());
  if (count.kind == Kind::number)
    set(state.threads[index], call, {.kind = Kind::number, .bits = minus_one.getZExtValue()});
  return Next::next;
}

Machine::Next Machine::synchronize(State& state, size_t index, const llvm::CallBase& call) {
  ThreadState& thread = state.threads[index];
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (const auto lock = lock_operation(call)) {
    const Value address = lock->lock ? value_of(*lock->lock, thread)
                                     : Value{.kind = Kind::number, .id = kAtomicSection};
    if (lock->action == LockAction::try_acquire) {
      // It may fail for no reason at all. So says C11, and nothing may be learned from it.
      State& other = fork(state);
      if (acquire(other, index, address, lock->mode == LockMode::shared) == Next::next) {
        set(other.threads[index], call,
            {.kind = Kind::number, .bits = static_cast<uint64_t>(lock->success)});
        other.threads[index].frames.back().at++;
      } else {
        left_.pop_back();
      }
      set(thread, call, {.kind = Kind::number, .bits = failure_of(name)});
      return Next::next;
    }
    if (!call.getType()->isVoidTy()) set(thread, call, kZero);
    if (lock->action == LockAction::release) return release(state, index, address);
    return acquire(state, index, address, lock->mode == LockMode::shared);
  }
  if (semaphore_operation(call)) return use_semaphore(state, index, call);
  if (thread_start(call)) return start_thread(state, index, call);
  if (joined_handle(call)) return join_thread(state, index, call);
  if (name == "pthread_barrier_wait") return wait_at_barrier(state, index, call);
  if (name == "pthread_cond_wait" || name == "pthread_cond_timedwait" || name == "cnd_wait" ||
      name == "cnd_timedwait" || name == "pthread_cond_clockwait") {
    set(thread, call, name.ends_with("_wait") ? kZero : Value{});
    return wait_for_condition(state, index, value_of(*call.getArgOperand(1), thread));
  }
  if (name == "pthread_barrier_init") {
    const auto spot = spot_of(value_of(*call.getArgOperand(0), thread));
    if (spot && call.arg_size() == 3)
      state.put({spot->object, spot->offset | kCounter}, 1,
                value_of(*call.getArgOperand(2), thread));
    set(thread, call, kZero);
    return Next::next;
  }
  if (!call.getType()->isVoidTy()) set(thread, call, returns_zero(name) ? kZero : Value{});
  // What a mutex or a condition holds, nobody else looks at.
  if (is_opaque(name)) return Next::next;
  // A handle, an attribute, or what a key holds.
  for (const bitcode::Node pointer : written_by_calls_[&call])
    blur_targets(state, rules_.points_to.solution().targets_of(pointer));
  return Next::next;
}

Machine::Next Machine::call_external(State& state, size_t index, const llvm::CallBase& call) {
  ThreadState& thread = state.threads[index];
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (ends_this_thread(name)) return end_thread(state, index);
  if (name == "pthread_once" || name == "call_once") return run_once(state, index, call);
  if (is_beyond_product(name)) return fail("'" + name.str() + "'");
  if (llvm::isa<llvm::InvokeInst>(call)) return fail("a call that may throw");
  if (is_synchronization(call)) return synchronize(state, index, call);
  if (calling_back_.contains(&call)) return fail("'" + name.str() + "' calls back");
  const bitcode::Effect effect = rules_.points_to.externals().of(name).effect;
  if (effect == bitcode::Effect::allocates && call.getType()->isPointerTy()) {
    const ObjectIndex object = places_.allocate(state, call, thread);
    set(thread, call, {.kind = Kind::pointer, .id = object});
    return Next::next;
  }
  if (effect == bitcode::Effect::frees && call.arg_size() == 1) {
    const Value pointer = value_of(*call.getArgOperand(0), thread);
    if (pointer.kind == Kind::pointer && !places_[pointer.id].is_summary &&
        places_[pointer.id].may_be_null)
      state.end_object(pointer.id);
    return Next::next;
  }
  if (const auto written = written_by_calls_.find(&call); written != written_by_calls_.end())
    for (const bitcode::Node pointer : written->second)
      blur_targets(state, rules_.points_to.solution().targets_of(pointer));
  if (!call.getType()->isVoidTy()) set(thread, call, {});
  return Next::next;
}

Machine::Next Machine::intrinsic(State& state, size_t index, const llvm::IntrinsicInst& call) {
  ThreadState& thread = state.threads[index];
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::threadlocal_address:
      set(thread, call, value_of(*call.getArgOperand(0), thread));
      return Next::next;
    case llvm::Intrinsic::lifetime_start: {
      const Value pointer = value_of(*call.getArgOperand(1), thread);
      if (pointer.kind == Kind::pointer && !places_[pointer.id].is_summary) state.blur(pointer.id);
      return Next::next;
    }
    case llvm::Intrinsic::expect:
      set(thread, call, value_of(*call.getArgOperand(0), thread));
      return Next::next;
    default:
      break;
  }
  if (const auto written = written_by_calls_.find(&call); written != written_by_calls_.end())
    for (const bitcode::Node pointer : written->second)
      blur_targets(state, rules_.points_to.solution().targets_of(pointer));
  if (!call.getType()->isVoidTy()) set(thread, call, {});
  return Next::next;
}

}  // namespace foretell::static_analysis
