// SPDX-License-Identifier: Apache-2.0

// HeldSections: rule (a) of CP and WCP, up to what an edge is and where it goes.
//
// Keeps the critical sections each thread is in and which ones touched what (SectionAccesses), and
// says of each event with which earlier sections its own ones clash. Clashing is: different
// threads, same location, not both reads. Atomic accesses count, since reorderings keep the writers
// of atomic reads too. A wait and a notify of one condition clash as well: with their sections
// swapped, the wake-up would be lost.
//
// Cost: a hash look-up per access and lock held, none for repeated accesses of a location between
// two lock operations of the thread.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/race/section_accesses.h"
#include "base/check.h"
#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell::analysis {

template <class Section>
class HeldSections {
 public:
  struct Held {
    LockId lock;
    bool shared;
    Section section;
  };

  void open(ThreadId id, LockId lock, Section section, bool shared) {
    Thread& thread = threads_[id];
    thread.held.push_back({lock, shared, std::move(section)});
    ++thread.segment;
  }

  Held close(ThreadId id, LockId lock) {
    Thread& thread = threads_[id];
    const auto it = std::ranges::find(thread.held, lock, &Held::lock);
    CHECK(it != thread.held.end());
    Held closed = std::move(*it);
    thread.held.erase(it);
    ++thread.segment;
    return closed;
  }

  // Calls clashes(held, earlier, earlier_is_shared) for each section `held` of e's thread and each
  // earlier section of the same lock that clashes because of `e`, at least once per pair.
  template <class Clashes>
  void on_access(const trace::Event& e, Clashes clashes) {
    Thread& thread = threads_[e.thread];
    if (thread.held.empty()) return;
    const bool reads = e.kind == trace::EventKind::Read || e.kind == trace::EventKind::AtomicRead;
    LatestSegment& latest = locations_[e.location()].kind[reads ? 0 : 1];
    if (latest.segment == thread.segment && latest.thread == e.thread) return;
    latest = {e.thread, thread.segment};
    touch(accesses_, e, reads ? Touch::read : Touch::write, {!reads, true}, clashes);
  }
  // Waits count as writes of the condition, notifies as reads, and writes do not clash.
  template <class Clashes>
  void on_condition(const trace::Event& e, Clashes clashes) {
    const bool waits = e.kind == trace::EventKind::WaitBegin;
    touch(conditions_, e, waits ? Touch::write : Touch::read, {waits, !waits}, clashes);
  }

 private:
  struct Thread {
    std::vector<Held> held;
    uint32_t segment = 1;  // changes when `held` does
  };
  struct LatestSegment {
    ThreadId thread{};
    uint32_t segment = 0;
  };
  struct Location {
    LatestSegment kind[2];  // by Touch
  };

  template <class Clashes>
  void touch(SectionAccesses<Section>& accesses, const trace::Event& e, Touch touch,
             std::pair<bool, bool> against, Clashes clashes) {
    for (const Held& held : threads_[e.thread].held) {
      accesses.touch(
          held.lock, e.object, e.thread, held.section, held.shared, touch, against,
          [&](const Section& earlier) { clashes(held, earlier, false); },
          [&](const Section& earlier) { clashes(held, earlier, true); });
    }
  }

  DenseTable<Thread, ThreadId> threads_;
  DenseTable<Location, LocationId> locations_;
  SectionAccesses<Section> accesses_, conditions_;
};

}  // namespace foretell::analysis
