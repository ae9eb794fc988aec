// SPDX-License-Identifier: Apache-2.0

#include "tiddle/random.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace foretell::tiddle {
namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint32_t below(size_t n) { return static_cast<uint32_t>(next() % n); }

 private:
  uint64_t state_;
};

// How many threads a barrier has; two keeps most threads free.
constexpr size_t kParties = 2;
constexpr uint32_t kHeapBytes = 64;

struct ThreadState {
  enum class Phase { unborn, running, waiting, at_barrier, ended, joined };
  Phase phase = Phase::running;
  bool acted = false;
  std::vector<uint32_t> locks;   // held exclusively, in order of acquisition
  std::vector<uint32_t> shared;  // held in shared mode
  uint32_t blocks = 0, calls = 0;
  uint32_t wait_lock = 0;
  bool notified = false;
};

class Generator {
 public:
  explicit Generator(const RandomOptions& options)
      : options_(options),
        dice_(options.seed),
        threads_(options.threads),
        holder_(options.locks, kNobody),
        readers_(options.locks, 0),
        values_(options.variables, 0) {
    for (uint32_t t = 0; t < options.threads; ++t) {
      tables().threads.intern(fmt::format("{}", t + 1));
      if (options.fork_join && t > 0) threads_[t].phase = ThreadState::Phase::unborn;
    }
    for (uint32_t v = 0; v < options.variables; ++v)
      tables().intern_variable(fmt::format("x{}", v));
    heap_ = tables().intern_variable("heap");
    for (uint32_t l = 0; l < options.locks; ++l) tables().locks.intern(fmt::format("m{}", l));
    tables().conditions.intern("c");
    tables().barriers.intern("b");
    tables().semaphores.intern("s");
    tables().labels.intern("a");
    tables().functions.intern("f");
    tables().user_events.intern("u");
  }

  Result<trace::Trace> run() {
    std::vector<trace::EventKind> kinds;
    for (const std::string& word : options_.kinds) {
      auto kind = kind_of(word);
      if (!kind) return fail("unknown operation '{}'", word);
      kinds.push_back(*kind);
    }
    add_closers(kinds);
    if (options_.threads == 0) return fail("a trace needs at least one thread");
    if (options_.fork_join) kinds.push_back(trace::EventKind::Fork);
    if (kinds.empty()) return fail("there is no kind of operation to choose from");
    while (trace_.events.size() < options_.events) {
      const size_t left = options_.events - trace_.events.size();
      if (obligations() >= left ? close_something() : do_something(kinds)) continue;
      // Nothing asked for is possible now: make room, or stop.
      if (!close_something() && !do_something(kinds, Openers::always)) break;
    }
    return std::move(trace_);
  }

 private:
  using Phase = ThreadState::Phase;
  static constexpr uint32_t kNobody = UINT32_MAX;

  trace::TraceTables& tables() { return trace_.tables; }

  static std::optional<trace::EventKind> kind_of(const std::string& word) {
    for (size_t i = 0; i < trace::kEventKindCount; ++i) {
      const auto kind = static_cast<trace::EventKind>(i);
      if (word_of(kind) == word) return kind;
    }
    return {};
  }

  static void add_closers(std::vector<trace::EventKind>& kinds) {
    constexpr std::pair<trace::EventKind, trace::EventKind> kPairs[] = {
        {trace::EventKind::Acquire, trace::EventKind::Release},
        {trace::EventKind::AcquireShared, trace::EventKind::ReleaseShared},
        {trace::EventKind::BlockBegin, trace::EventKind::BlockEnd},
        {trace::EventKind::FunctionEnter, trace::EventKind::FunctionExit},
        {trace::EventKind::WaitBegin, trace::EventKind::WaitEnd},
        {trace::EventKind::BarrierEnter, trace::EventKind::BarrierExit},
    };
    auto has = [&](trace::EventKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
    for (auto [opener, closer] : kPairs) {
      if (has(opener) && !has(closer)) kinds.push_back(closer);
    }
  }

  trace::Event& emit(trace::EventKind kind, uint32_t thread, uint32_t object = 0) {
    threads_[thread].acted = true;
    trace_.events.push_back({.kind = kind,
                             .thread = ThreadId{thread},
                             .object = object,
                             .index = EventIndex{trace_.events.size()}});
    return trace_.events.back();
  }

  // Events needed to end the trace with nothing open.
  size_t obligations() const {
    size_t open = heap_live_ ? 1 : 0;
    for (const ThreadState& t : threads_) {
      open += t.locks.size() + t.shared.size() + t.blocks + t.calls;
      if (t.phase == Phase::waiting) open += 2;
      if (t.phase == Phase::at_barrier) open += 2;
      const bool alive = t.phase != Phase::unborn && t.phase != Phase::joined;
      if (options_.fork_join && &t != &threads_[0] && alive) ++open;
    }
    return open;
  }

  // Openers begin what needs another event to end.
  enum class Openers { if_they_fit, always };

  bool fits(trace::EventKind kind) const {
    size_t needed = 0;
    switch (kind) {
      case trace::EventKind::Acquire:
      case trace::EventKind::AcquireShared:
      case trace::EventKind::BlockBegin:
      case trace::EventKind::FunctionEnter:
      case trace::EventKind::WaitBegin:
      case trace::EventKind::Fork:
      case trace::EventKind::Alloc:
        needed = 2;
        break;
      case trace::EventKind::BarrierEnter:
        needed = 2 * kParties;
        break;
      default:
        return true;
    }
    return trace_.events.size() + obligations() + needed <= options_.events;
  }

  bool do_something(std::vector<trace::EventKind> kinds, Openers openers = Openers::if_they_fit) {
    if (openers == Openers::if_they_fit) {
      std::erase_if(kinds, [&](trace::EventKind kind) { return !fits(kind); });
    }
    if (kinds.empty()) return false;
    // Draw a few times; then go through everything, so that "no" is certain.
    for (int draw = 0; draw < 20; ++draw) {
      if (attempt(kinds[dice_.below(kinds.size())], dice_.below(threads_.size()))) return true;
    }
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      for (trace::EventKind kind : kinds) {
        if (attempt(kind, t)) return true;
      }
    }
    return false;
  }

  bool close_something() {
    const uint32_t first = dice_.below(threads_.size());
    for (uint32_t i = 0; i < threads_.size(); ++i) {
      const uint32_t t = static_cast<uint32_t>((first + i) % threads_.size());
      for (trace::EventKind kind :
           {trace::EventKind::Release, trace::EventKind::ReleaseShared, trace::EventKind::BlockEnd,
            trace::EventKind::FunctionExit, trace::EventKind::BarrierExit,
            trace::EventKind::WaitEnd, trace::EventKind::Free}) {
        if (attempt(kind, t, true)) return true;
      }
    }
    // Somebody alone at a barrier needs company.
    if (!entered_.empty() && entered_.size() < kParties && !opened_) {
      for (uint32_t t = 0; t < threads_.size(); ++t) {
        if (attempt(trace::EventKind::BarrierEnter, t)) return true;
      }
    }
    return options_.fork_join && attempt(trace::EventKind::Join, 0);
  }

  // Lets thread t do something of this kind if it may.
  bool attempt(trace::EventKind kind, uint32_t t, bool closing = false) {
    ThreadState& thread = threads_[t];
    if (kind == trace::EventKind::WaitEnd) return wake(t, closing);
    if (kind == trace::EventKind::BarrierExit) return leave_barrier(t);
    if (thread.phase != Phase::running) return false;
    switch (kind) {
      case trace::EventKind::Read:
      case trace::EventKind::Write:
      case trace::EventKind::AtomicRead:
      case trace::EventKind::AtomicWrite:
      case trace::EventKind::AtomicRmw:
        return access(kind, t);
      case trace::EventKind::Acquire:
      case trace::EventKind::AcquireShared:
        return acquire(kind, t);
      case trace::EventKind::Release:
        if (thread.locks.empty()) return false;
        emit(kind, t, thread.locks.back());
        holder_[thread.locks.back()] = kNobody;
        thread.locks.pop_back();
        return true;
      case trace::EventKind::ReleaseShared:
        if (thread.shared.empty()) return false;
        emit(kind, t, thread.shared.back());
        --readers_[thread.shared.back()];
        thread.shared.pop_back();
        return true;
      case trace::EventKind::Request:
      case trace::EventKind::RequestShared:
        if (options_.locks == 0) return false;
        emit(kind, t, dice_.below(options_.locks));
        return true;
      case trace::EventKind::TryFail:
      case trace::EventKind::TryFailShared:
        return try_fail(kind, t);
      case trace::EventKind::Fork:
        return fork(t);
      case trace::EventKind::Join:
        return join(t);
      case trace::EventKind::BlockBegin:
      case trace::EventKind::FunctionEnter: {
        uint32_t& depth = kind == trace::EventKind::BlockBegin ? thread.blocks : thread.calls;
        if (depth >= options_.nesting) return false;
        ++depth;
        emit(kind, t);
        return true;
      }
      case trace::EventKind::BlockEnd:
      case trace::EventKind::FunctionExit: {
        uint32_t& depth = kind == trace::EventKind::BlockEnd ? thread.blocks : thread.calls;
        if (depth == 0) return false;
        --depth;
        emit(kind, t);
        return true;
      }
      case trace::EventKind::ThreadBegin:
        if (thread.acted) return false;
        emit(kind, t);
        return true;
      case trace::EventKind::ThreadEnd:
        return exit(t);
      case trace::EventKind::Fence:
        emit(kind, t).order = any_order({MemoryOrder::acquire, MemoryOrder::release,
                                         MemoryOrder::acq_rel, MemoryOrder::seq_cst});
        return true;
      case trace::EventKind::WaitBegin:
        return wait(t);
      case trace::EventKind::NotifyOne:
      case trace::EventKind::NotifyAll:
        return notify(kind, t);
      case trace::EventKind::BarrierEnter:
        return enter_barrier(t);
      case trace::EventKind::DestroyLock:
      case trace::EventKind::DestroyCondition:
      case trace::EventKind::DestroyBarrier:
      case trace::EventKind::DestroySemaphore:
      case trace::EventKind::SemaphorePost:
        emit(kind, t);
        return true;
      case trace::EventKind::SemaphoreWait:
        emit(kind, t);
        return true;
      case trace::EventKind::Branch: {
        const uint32_t way = dice_.below(2);
        trace::Event& e = emit(kind, t);
        e.value = way;
        e.flags |= trace::Event::kHasValue;
        return true;
      }
      case trace::EventKind::Alloc:
      case trace::EventKind::Free:
        return allocate_or_free(kind, t);
      case trace::EventKind::User:
        emit(kind, t);
        return true;
      case trace::EventKind::WaitEnd:
      case trace::EventKind::BarrierExit:
        break;
    }
    CHECK(false);
  }

  MemoryOrder any_order(std::initializer_list<MemoryOrder> orders) {
    return orders.begin()[dice_.below(orders.size())];
  }

  bool access(trace::EventKind kind, uint32_t t) {
    if (options_.variables == 0) return false;
    const uint32_t x = dice_.below(options_.variables);
    const uint64_t fresh = options_.values ? dice_.below(100) + 1 : 0;
    MemoryOrder order = MemoryOrder::seq_cst;
    if (kind == trace::EventKind::AtomicRead) {
      order = any_order({MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::seq_cst});
    } else if (kind == trace::EventKind::AtomicWrite) {
      order = any_order({MemoryOrder::relaxed, MemoryOrder::release, MemoryOrder::seq_cst});
    } else if (kind == trace::EventKind::AtomicRmw) {
      order = any_order(
          {MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel, MemoryOrder::seq_cst});
    }
    trace::Event& e = emit(kind, t, x);
    e.order = order;
    if (!options_.values) return true;
    e.flags |= trace::Event::kHasValue;
    if (kind == trace::EventKind::AtomicRmw) {
      e.flags |= trace::Event::kHasReadValue;
      e.extra = values_[x];
    }
    if (is_write(kind)) values_[x] = fresh;
    e.value = values_[x];
    return true;
  }

  bool acquire(trace::EventKind kind, uint32_t t) {
    ThreadState& thread = threads_[t];
    if (options_.locks == 0) return false;
    if (thread.locks.size() + thread.shared.size() >= options_.nesting) return false;
    const uint32_t l = dice_.below(options_.locks);
    const bool exclusive = kind == trace::EventKind::Acquire;
    if (holder_[l] != kNobody || (exclusive && readers_[l] > 0)) return false;
    if (std::ranges::find(thread.shared, l) != thread.shared.end()) return false;
    emit(kind, t, l);
    if (exclusive) {
      holder_[l] = t;
      thread.locks.push_back(l);
    } else {
      ++readers_[l];
      thread.shared.push_back(l);
    }
    return true;
  }

  bool try_fail(trace::EventKind kind, uint32_t t) {
    if (options_.locks == 0) return false;
    const uint32_t l = dice_.below(options_.locks);
    const bool held_by_other = holder_[l] != kNobody && holder_[l] != t;
    const bool read = kind == trace::EventKind::TryFail && readers_[l] > 0;
    if (!held_by_other && !read) return false;
    emit(kind, t, l);
    return true;
  }

  bool fork(uint32_t t) {
    for (uint32_t child = 0; child < threads_.size(); ++child) {
      if (threads_[child].phase != Phase::unborn) continue;
      threads_[child].phase = Phase::running;
      emit(trace::EventKind::Fork, t, child);
      return true;
    }
    return false;
  }

  bool idle(const ThreadState& thread) const {
    return thread.locks.empty() && thread.shared.empty() && thread.blocks == 0 && thread.calls == 0;
  }

  bool join(uint32_t t) {
    for (uint32_t child = 1; child < threads_.size(); ++child) {
      ThreadState& thread = threads_[child];
      const bool can_end = thread.phase == Phase::ended ||
                           (thread.phase == Phase::running && thread.acted && idle(thread));
      const bool never_acted =
          options_.fork_join && thread.phase == Phase::running && !thread.acted;
      if (child == t || (!can_end && !never_acted)) continue;
      thread.phase = Phase::joined;
      emit(trace::EventKind::Join, t, child);
      return true;
    }
    return false;
  }

  bool exit(uint32_t t) {
    const auto running = std::ranges::count(threads_, Phase::running, &ThreadState::phase);
    if (!idle(threads_[t]) || running < 2 || t == 0) return false;
    emit(trace::EventKind::ThreadEnd, t);
    threads_[t].phase = Phase::ended;
    return true;
  }

  // The last running thread must not fall asleep.
  bool may_block() const {
    return std::ranges::count(threads_, Phase::running, &ThreadState::phase) > 1;
  }

  bool wait(uint32_t t) {
    ThreadState& thread = threads_[t];
    if (thread.locks.empty() || !may_block()) return false;
    thread.wait_lock = thread.locks.back();
    thread.locks.pop_back();
    holder_[thread.wait_lock] = kNobody;
    thread.phase = Phase::waiting;
    thread.notified = false;
    emit(trace::EventKind::WaitBegin, t).extra = thread.wait_lock;
    return true;
  }

  bool wake(uint32_t t, bool closing) {
    ThreadState& thread = threads_[t];
    if (thread.phase != Phase::waiting || (!thread.notified && !closing)) return false;
    if (holder_[thread.wait_lock] != kNobody || readers_[thread.wait_lock] > 0) return false;
    thread.phase = Phase::running;
    thread.locks.push_back(thread.wait_lock);
    holder_[thread.wait_lock] = t;
    emit(trace::EventKind::WaitEnd, t).extra = thread.wait_lock;
    return true;
  }

  bool notify(trace::EventKind kind, uint32_t t) {
    for (ThreadState& other : threads_) {
      if (other.phase != Phase::waiting || other.notified) continue;
      other.notified = true;
      if (kind == trace::EventKind::NotifyOne) break;
    }
    emit(kind, t);
    return true;
  }

  bool enter_barrier(uint32_t t) {
    if (opened_ || !(entered_.size() + 1 >= kParties || may_block())) return false;
    if (threads_.size() < kParties) return false;
    entered_.push_back(t);
    threads_[t].phase = Phase::at_barrier;
    opened_ = entered_.size() == kParties;
    emit(trace::EventKind::BarrierEnter, t);
    return true;
  }

  bool leave_barrier(uint32_t t) {
    if (!opened_ || threads_[t].phase != Phase::at_barrier) return false;
    threads_[t].phase = Phase::running;
    std::erase(entered_, t);
    if (entered_.empty()) opened_ = false;
    emit(trace::EventKind::BarrierExit, t);
    return true;
  }

  bool allocate_or_free(trace::EventKind kind, uint32_t t) {
    if (heap_live_ == (kind == trace::EventKind::Alloc)) return false;
    heap_live_ = !heap_live_;
    trace::Event& e = emit(kind, t, static_cast<uint32_t>(heap_));
    if (kind == trace::EventKind::Alloc) {
      e.value = kHeapBytes;
      e.flags |= trace::Event::kHasValue;
    }
    return true;
  }

  const RandomOptions& options_;
  Dice dice_;
  trace::Trace trace_;
  std::vector<ThreadState> threads_;
  std::vector<uint32_t> holder_, readers_;  // by lock
  std::vector<uint64_t> values_;            // by variable
  std::vector<uint32_t> entered_;           // at the barrier
  bool opened_ = false;                     // all are there; they leave before anyone enters again
  bool heap_live_ = false;
  LocationId heap_{};
};

}  // namespace

Result<trace::Trace> random_trace(const RandomOptions& options) {
  return Generator(options).run();
}

}  // namespace foretell::tiddle
