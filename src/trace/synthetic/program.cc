// SPDX-License-Identifier: Apache-2.0

#include "trace/synthetic/program.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::trace::synthetic {

Program::Program(const SyntheticOptions& options, Pcg& random)
    : weights{options.thread_local_weight, options.protected_weight, options.read_shared_weight,
              options.racy_weight} {
  if (options.locks == 0) weights[static_cast<size_t>(Sharing::lock_protected)] = 0;
  if (std::ranges::max(weights) == 0) weights[0] = 1;
  share_out_locations(options);
  name_everything(options);
  thread_site = next_site();
  padding_site = next_site();
  barrier_site = next_site();
  atomic_site = next_site();
  draw_routines(options, random);
  name_contention(options);
}

// Locations are shared out by the weights. Every class gets what it needs to exist at all.
void Program::share_out_locations(const SyntheticOptions& options) {
  const uint32_t reserved = options.threads + kSharingCount;  // create() checked that it fits
  const uint32_t spare = options.locations - reserved;
  uint64_t all = 0;
  for (uint32_t weight : weights) all += weight;
  uint32_t first = 0;
  for (size_t i = 0; i < kSharingCount; ++i) {
    pools[i].first = first;
    pools[i].size =
        static_cast<uint32_t>(uint64_t{spare} * weights[i] / all) + (i == 0 ? options.threads : 1);
    first += pools[i].size;
  }
  atomics = {first, options.locations - first};
  guarded_parts = std::min(options.locks, pools[static_cast<size_t>(Sharing::lock_protected)].size);
}

void Program::name_everything(const SyntheticOptions& options) {
  constexpr uint64_t kFirstAddress = 0x10000;
  constexpr uint64_t kWord = 8;
  for (uint32_t i = 0; i < options.locations; ++i) {
    tables.locations.intern({.offset = kFirstAddress + kWord * i, .size = kWord});
  }
  for (uint32_t i = 0; i < options.threads; ++i) tables.threads.intern(fmt::format("T{}", i));
  for (uint32_t i = 0; i < options.locks; ++i) tables.locks.intern(fmt::format("L{}", i));
  if (options.barrier_every > 0) tables.barriers.intern("B0");
  if (options.blocks > 0) tables.labels.intern("call");
}

// After all other names, so that what has none of this stays as it is.
void Program::name_contention(const SyntheticOptions& options) {
  uint32_t locks = options.locks;
  if (options.inversions > 0) {
    constexpr uint32_t kLocks = Inversion::kMostLocks + 1;
    for (uint32_t i = 0; i < Inversion::kGroups; ++i, locks += kLocks) {
      Inversion& group = inversions.emplace_back();
      group.locks = i % 3 == 2 ? 4 : 2;
      group.is_guarded = i % 3 == 0;
      group.first = locks;
      for (auto& [outer, inner] : group.sites) {
        outer = next_site();
        inner = next_site();
      }
      for (uint32_t k = 0; k < kLocks; ++k) tables.locks.intern(fmt::format("I{}.{}", i, k));
    }
  }
  if (options.waits == 0) return;
  wait_lock = locks;
  tables.locks.intern("W");
  tables.conditions.intern("C0");
  for (uint32_t i = 0; i < kSemaphores; ++i) tables.semaphores.intern(fmt::format("S{}", i));
  for (SiteId& site : wait_sites) site = next_site();
}

SiteId Program::next_site() {
  constexpr uint32_t kSitesPerFile = 200;
  const uint32_t i = sites_++;
  return tables.intern_site(fmt::format("file{}.c", i / kSitesPerFile), 10 + i % kSitesPerFile, 5);
}

void Program::draw_routines(const SyntheticOptions& options, Pcg& random) {
  uint32_t all = 0;
  for (uint32_t weight : weights) all += weight;
  const uint32_t last_site = sites_ + options.sites;
  for (size_t i = 0; i < kSharingCount; ++i) {
    if (weights[i] > 0)
      routines[i].push_back(draw_routine(Sharing{static_cast<uint8_t>(i)}, options, random));
  }
  while (sites_ < last_site) {
    uint32_t ticket = random.below(all);
    size_t i = 0;
    while (ticket >= weights[i]) ticket -= weights[i++];
    routines[i].push_back(draw_routine(Sharing{static_cast<uint8_t>(i)}, options, random));
  }
}

Routine Program::draw_routine(Sharing sharing, const SyntheticOptions& options, Pcg& random) {
  Routine routine{.sharing = sharing,
                  .stride = 0,
                  .acquire_site = next_site(),
                  .release_site = next_site(),
                  .steps = {}};
  const uint32_t steps = 4 + random.below(9);
  for (uint32_t i = 0; i < steps; ++i) {
    const bool write = sharing != Sharing::read_shared && !random.percent(options.reads);
    // Code often touches again what it has just touched: x = x + 1, if (p->n > 0) use(p->n).
    const bool again = i > 0 && random.percent(40);
    const uint32_t field = again ? routine.steps.back().field : random.below(6);
    routine.steps.push_back({next_site(), write, field});
  }
  if (random.percent(50)) routine.stride = 1 + random.below(4);
  return routine;
}

}  // namespace foretell::trace::synthetic
