// SPDX-License-Identifier: Apache-2.0

// SyntheticTrace: large well-formed raw traces from a seed, for benchmarks and stress tests.
//
// A program is drawn first: routines, each a loop body of a few accesses with a site, a kind and a
// way to pick its location (a field of an object, a walk over an array), a sharing class, and for
// the lock-protected class a chain of locks. Then the threads run: each calls routines at random,
// and a scheduler switches between them after random quanta, so the trace has the shape of a
// recorded run: repeated sites, strides, runs of one thread, nested critical sections that other
// threads interrupt and wait for.
//
// The trace is well formed by construction: locks are taken in ascending order (no deadlock) and
// only while free, reads return the last write, workers are forked first and joined last, barriers
// open when all threads have entered. It has exactly the wanted number of events. Racy locations
// are written without locks; all others are race-free.
//
// With `inversions` some threads also take two locks in opposite orders, not at the same moment
// here but in other schedules: pairs, pairs guarded by a common gate lock, and rings of four. With
// `waits` they post and decrement semaphores, sometimes while holding a lock, and wait for
// conditions; the main thread joins while holding a lock.
//
// The same options and seed give the same trace on every machine: the random numbers are our own
// (PCG-XSH-RR, O'Neill 2014) and only integers are computed with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/diagnostic.h"
#include "trace/event.h"
#include "trace/tables.h"

namespace foretell::trace {

struct SyntheticOptions {
  uint64_t seed = 1;
  uint64_t events = 1'000'000;
  uint32_t threads = 8;  // the main thread counts
  uint32_t locks = 64;
  uint32_t nesting = 2;          // locks held at once, at most
  uint32_t locations = 100'000;  // of all sharing classes together
  uint32_t sites = 2000;         // of accesses
  uint32_t quantum = 40;         // mean length of an undisturbed run of one thread

  // In percent.
  uint32_t accesses = 85;  // of all events; at least 1
  uint32_t reads = 75;     // of accesses that may be writes
  // How accesses are shared out; the four are weights.
  uint32_t thread_local_weight = 55;
  uint32_t protected_weight = 30;
  uint32_t read_shared_weight = 15;
  uint32_t racy_weight = 0;
  uint32_t atomics = 0;  // percent of synchronization that is atomic accesses, not locks
  uint32_t blocks = 0;   // percent of calls that are atomic blocks

  uint32_t inversions = 0;  // percent of synchronization that takes two locks in either order
  uint32_t waits = 0;       // and that posts and waits; not together with barriers

  uint64_t barrier_every = 0;  // events between barriers; 0: none
  bool values = false;         // accesses carry values
};

class SyntheticTrace {
 public:
  // Options that describe no trace (no threads, more forks than events) are usage errors.
  static Result<std::unique_ptr<SyntheticTrace>> create(const SyntheticOptions& options);
  virtual ~SyntheticTrace() = default;

  // All names; complete from the start.
  virtual const TraceTables& tables() const = 0;

  // Fills the front of `out` with the next events; returns how many, 0 at the end.
  virtual size_t next(std::span<Event> out) = 0;
};

// Runs `sink` over the whole trace, a batch at a time. Stops at the first failure.
Result<void> generate_synthetic(
    const SyntheticOptions& options,
    const std::function<Result<void>(std::span<const Event>, const TraceTables&)>& sink);

}  // namespace foretell::trace
