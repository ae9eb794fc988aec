// SPDX-License-Identifier: Apache-2.0

// Random runs of threads that lock, unlock, read and write: many critical sections, nested and
// overlapping, few accesses, half of them to a variable of the innermost lock (what PREDICT writes
// as sync(l)). Some locks are taken in shared mode.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace foretell::analysis {

struct SectionsShape {
  bool shared = true;   // locks may be shared
  bool nested = false;  // sections end in the opposite order of their beginning
  uint32_t length = 0;  // 0: 16 to 65 events
};

inline trace::Trace random_sections(uint64_t seed, SectionsShape shape = {}) {
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t threads = 2 + below(4), locks = 1 + below(4), locations = 1 + below(6);
  const uint32_t length = shape.length > 0 ? shape.length : 16 + below(50);
  const bool shared_locks = shape.shared && below(3) == 0;

  struct Held {
    uint32_t lock;
    bool shared;
  };
  trace::Trace trace;
  std::vector<std::vector<Held>> held(threads);
  for (uint32_t t = 0; t < threads; ++t) trace.tables.threads.intern(std::to_string(t));
  for (uint32_t l = 0; l < locks; ++l) trace.tables.locks.intern("l" + std::to_string(l));
  for (uint32_t x = 0; x < locations; ++x) trace.tables.intern_variable("x" + std::to_string(x));
  auto add = [&](trace::EventKind kind, uint32_t thread, uint32_t object) {
    trace.events.push_back({.kind = kind,
                            .thread = ThreadId{thread},
                            .object = object,
                            .index = EventIndex{trace.events.size()}});
  };
  auto may_take = [&](uint32_t thread, uint32_t lock, bool shared) {
    for (uint32_t t = 0; t < threads; ++t) {
      for (const Held& h : held[t]) {
        if (h.lock == lock && (t == thread || !h.shared || !shared)) return false;
      }
    }
    return true;
  };
  for (uint32_t t = 0; t < threads; ++t) add(trace::EventKind::ThreadBegin, t, 0);
  uint32_t thread = 0;
  while (trace.events.size() < length) {
    if (below(3) == 0) thread = below(threads);
    auto& mine = held[thread];
    switch (below(4)) {
      case 0: {
        const uint32_t lock = below(locks);
        const bool shared = shared_locks && below(2);
        if (mine.size() == 3 || !may_take(thread, lock, shared)) continue;
        mine.push_back({lock, shared});
        add(shared ? trace::EventKind::AcquireShared : trace::EventKind::Acquire, thread, lock);
        break;
      }
      case 1: {
        if (mine.empty()) continue;
        const size_t i = shape.nested || below(4) > 0 ? mine.size() - 1 : below(mine.size());
        add(mine[i].shared ? trace::EventKind::ReleaseShared : trace::EventKind::Release, thread,
            mine[i].lock);
        mine.erase(mine.begin() + static_cast<ptrdiff_t>(i));
        break;
      }
      default: {
        if (below(3)) continue;
        // Not all locks have a variable: some sections are empty, or clash by accident.
        const bool own = !mine.empty() && mine.back().lock < locations && below(2);
        const uint32_t location = own ? mine.back().lock : below(locations);
        add(below(2) ? trace::EventKind::Read : trace::EventKind::Write, thread, location);
      }
    }
  }
  return trace;
}

}  // namespace foretell::analysis
