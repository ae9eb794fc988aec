// SPDX-License-Identifier: Apache-2.0

// The program a synthetic trace is a run of: who may touch what, and the loop bodies that do it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/synthetic/pcg.h"
#include "trace/synthetic/synthetic.h"
#include "trace/tables.h"

namespace foretell::trace::synthetic {

enum class Sharing : uint8_t { thread_local_data, lock_protected, read_shared, racy };
inline constexpr size_t kSharingCount = 4;

// Consecutive locations.
struct Pool {
  uint32_t first = 0;
  uint32_t size = 0;

  uint32_t at(uint32_t offset) const { return first + offset % size; }
  // Part `i` of `parts` about equal ones; parts <= size.
  Pool part(uint32_t i, uint32_t parts) const {
    const auto begin = static_cast<uint32_t>(uint64_t{size} * i / parts);
    const auto end = static_cast<uint32_t>(uint64_t{size} * (i + 1) / parts);
    return {first + begin, end - begin};
  }
};

struct Step {
  SiteId site;
  bool write;
  uint32_t field;  // offset from the object the call works on
};

struct Routine {
  Sharing sharing;
  uint32_t stride;  // how far the object moves with each iteration
  SiteId acquire_site, release_site;
  std::vector<Step> steps;
};

// Locks that are taken two at a time, in contrary orders: at place i the i-th and then the next
// one.
struct Inversion {
  static constexpr uint32_t kGroups = 24, kMostLocks = 4;
  uint32_t locks = 2;       // 2 or 4 in a ring
  bool is_guarded = false;  // by a gate, taken before them
  uint32_t first = 0;       // lock; the gate is first + kMostLocks
  std::array<std::array<SiteId, 2>, kMostLocks> sites{};
};

struct Program {
  Program(const SyntheticOptions& options, Pcg& random);

  TraceTables tables;
  std::array<uint32_t, kSharingCount> weights{};
  std::array<Pool, kSharingCount> pools{};
  Pool atomics;
  uint32_t guarded_parts = 0;  // lock i guards part i of the protected pool
  std::array<std::vector<Routine>, kSharingCount> routines;
  SiteId thread_site, padding_site, barrier_site, atomic_site;
  std::vector<Inversion> inversions;
  static constexpr uint32_t kSemaphores = 16;
  uint32_t wait_lock = 0;              // of the condition
  std::array<SiteId, 5> wait_sites{};  // post, down, wait, notify, lock

 private:
  void share_out_locations(const SyntheticOptions& options);
  void name_everything(const SyntheticOptions& options);
  void name_contention(const SyntheticOptions& options);
  void draw_routines(const SyntheticOptions& options, Pcg& random);
  Routine draw_routine(Sharing sharing, const SyntheticOptions& options, Pcg& random);
  SiteId next_site();

  uint32_t sites_ = 0;  // named so far
};

}  // namespace foretell::trace::synthetic
