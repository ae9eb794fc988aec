// SPDX-License-Identifier: Apache-2.0

// Threads that do what threads may: a random trace is made of steps that this state allows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tiddle/random.h"
#include "trace/trace.h"

namespace foretell::tiddle {

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

class RandomThreads {
 public:
  // `options` has to outlive it.
  explicit RandomThreads(const RandomOptions& options);

  // Lets thread t do something of this kind if it may. `closing`: also what ends too early.
  bool attempt(trace::EventKind kind, uint32_t t, bool closing = false);
  // Events needed to end the trace with nothing open.
  size_t obligations() const;
  // Somebody is at a barrier that nobody else has come to.
  bool needs_company_at_barrier() const {
    return !entered_.empty() && entered_.size() < kParties && !opened_;
  }

  Dice& dice() { return dice_; }
  size_t events() const { return trace_.events.size(); }
  trace::Trace take_trace() { return std::move(trace_); }

 private:
  struct Thread {
    enum class Phase { unborn, running, waiting, at_barrier, ended, joined };
    Phase phase = Phase::running;
    bool acted = false;
    std::vector<uint32_t> locks;   // held exclusively, in order of acquisition
    std::vector<uint32_t> shared;  // held in shared mode
    uint32_t blocks = 0, calls = 0;
    uint32_t wait_lock = 0;
    bool notified = false;
  };
  using Phase = Thread::Phase;
  static constexpr uint32_t kNobody = UINT32_MAX;

  trace::TraceTables& tables() { return trace_.tables; }
  trace::Event& emit(trace::EventKind kind, uint32_t thread, uint32_t object = 0);
  MemoryOrder any_order(std::initializer_list<MemoryOrder> orders);
  bool idle(const Thread& thread) const;
  // The last running thread must not fall asleep.
  bool may_block() const;

  bool access(trace::EventKind kind, uint32_t t);
  bool acquire(trace::EventKind kind, uint32_t t);
  bool release(trace::EventKind kind, uint32_t t);
  bool try_fail(trace::EventKind kind, uint32_t t);
  bool open(uint32_t& depth, trace::EventKind kind, uint32_t t);
  bool close(uint32_t& depth, trace::EventKind kind, uint32_t t);
  bool fork(uint32_t t);
  bool join(uint32_t t);
  bool exit(uint32_t t);
  bool wait(uint32_t t);
  bool wake(uint32_t t, bool closing);
  bool notify(trace::EventKind kind, uint32_t t);
  bool enter_barrier(uint32_t t);
  bool leave_barrier(uint32_t t);
  bool allocate_or_free(trace::EventKind kind, uint32_t t);

  const RandomOptions& options_;
  Dice dice_;
  trace::Trace trace_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> holder_, readers_;  // by lock
  std::vector<uint64_t> values_;            // by variable
  std::vector<uint32_t> entered_;           // at the barrier
  bool opened_ = false;                     // all are there; they leave before anyone enters again
  bool heap_live_ = false;
  LocationId heap_{};
};

}  // namespace foretell::tiddle
