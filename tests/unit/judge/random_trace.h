// SPDX-License-Identifier: Apache-2.0

// Random well-formed traces over every event kind, from a seed.
//
// Events are drawn blindly and kept if the normalizer takes them, so what is well-formed has one
// definition. Few objects and many threads make edges and clashes common.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/normalizer.h"
#include "trace/trace.h"

namespace foretell::judge {

struct RandomTraceShape {
  uint32_t threads = 4;
  uint32_t objects = 2;  // of each kind: locks, conditions, barriers, semaphores
  uint32_t locations = 3;
  uint32_t events = 40;
};

struct RandomTrace {
  trace::Trace raw;                  // what was drawn and kept, for messages
  std::vector<trace::Event> events;  // its normalized form; the index of each is its position
};

inline RandomTrace random_trace(uint64_t seed, const RandomTraceShape& shape = {}) {
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };

  RandomTrace trace;
  trace::TraceTables& tables = trace.raw.tables;
  for (uint32_t i = 0; i < shape.threads; ++i) tables.threads.intern(std::to_string(i));
  for (uint32_t i = 0; i < shape.objects; ++i) {
    const std::string name = "o" + std::to_string(i);
    tables.locks.intern(name);
    tables.conditions.intern(name);
    tables.barriers.intern(name);
    tables.semaphores.intern(name);
    tables.labels.intern(name);
    tables.functions.intern(name);
    tables.user_events.intern(name);
  }
  for (uint32_t i = 0; i < shape.locations; ++i) {
    tables.intern_variable("x" + std::to_string(i));
  }

  trace::Normalizer normalizer(tables, std::make_unique<trace::CellMap>(tables));
  std::vector<trace::Event> blocked_by(shape.threads);  // by thread: the wait or enter it is in
  std::vector<trace::Event> opened_by(shape.threads);  // by thread: its latest acquire not released
  uint64_t index = 0;
  for (uint32_t draws = 0; index < shape.events && draws < shape.events * 20; ++draws) {
    // A third of the draws are plain accesses; the others are spread over all kinds.
    const trace::EventKind kind{
        static_cast<uint8_t>(below(3) == 0 ? below(2) : below(trace::kEventKindCount))};
    trace::Event e{.kind = kind, .index = EventIndex{index}};
    e.thread = ThreadId{below(shape.threads)};
    e.order = MemoryOrder{static_cast<uint8_t>(below(6))};
    // Ends and frees are final; rarely, so that something happens before.
    const bool final = kind == trace::EventKind::ThreadEnd || kind == trace::EventKind::Join ||
                       kind == trace::EventKind::Free || kind == trace::EventKind::Alloc;
    if (final && below(3) > 0) continue;
    if (is_access(kind) || kind == trace::EventKind::Alloc) {
      e.object = below(shape.locations);
    } else if (kind == trace::EventKind::Fork || kind == trace::EventKind::Join) {
      e.object = below(shape.threads);
    } else if (operands_of(kind) != trace::Operands::None &&
               operands_of(kind) != trace::Operands::Order &&
               operands_of(kind) != trace::Operands::Branch) {
      e.object = below(shape.objects);
    }
    if (kind == trace::EventKind::WaitBegin || kind == trace::EventKind::WaitEnd) {
      e.extra = below(shape.objects);
      if (kind == trace::EventKind::WaitEnd && below(4) == 0) e.value = trace::Event::kNoPartner;
    }
    // Blocked threads go on half of the time, and somebody notifies those that wait.
    trace::Event& blocked = blocked_by[to_index(e.thread)];
    if (blocked.kind == trace::EventKind::WaitBegin && below(2)) {
      e.kind = trace::EventKind::WaitEnd;
      e.object = blocked.object;
      e.extra = blocked.extra;
      e.value = below(4) ? trace::Event::kUnknown : trace::Event::kNoPartner;
    } else if (blocked.kind == trace::EventKind::BarrierEnter && below(2)) {
      e = {.kind = trace::EventKind::BarrierExit, .thread = e.thread, .object = blocked.object};
      e.index = EventIndex{index};
    } else if (const trace::Event& other = blocked_by[below(shape.threads)];
               other.kind == trace::EventKind::WaitBegin && below(4) == 0) {
      e = {.kind = below(2) ? trace::EventKind::NotifyOne : trace::EventKind::NotifyAll,
           .thread = e.thread};
      e.object = other.object;
      e.index = EventIndex{index};
    }
    const trace::Event& opened = opened_by[to_index(e.thread)];
    const bool shared = opened.kind == trace::EventKind::AcquireShared;
    if ((shared || opened.kind == trace::EventKind::Acquire) && below(4) == 0) {
      e = {.kind = shared ? trace::EventKind::ReleaseShared : trace::EventKind::Release,
           .thread = e.thread};
      if (!shared && below(2)) e.kind = trace::EventKind::WaitBegin;
      const bool waits = e.kind == trace::EventKind::WaitBegin;
      e.object = waits ? below(shape.objects) : opened.object;
      e.extra = waits ? opened.object : 0;
      e.index = EventIndex{index};
    }
    if (!normalizer.run({&e, 1}, trace.events)) continue;
    trace.raw.events.push_back(e);
    index = trace.events.size();  // what the normalizer folds away leaves no gap
    if (e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared) {
      opened_by[to_index(e.thread)] = e;
    } else if (e.kind == trace::EventKind::Release || e.kind == trace::EventKind::ReleaseShared) {
      opened_by[to_index(e.thread)] = {};
    }
    const bool blocks =
        e.kind == trace::EventKind::WaitBegin || e.kind == trace::EventKind::BarrierEnter;
    blocked_by[to_index(e.thread)] = blocks ? e : trace::Event{};
  }
  return trace;
}

}  // namespace foretell::judge
