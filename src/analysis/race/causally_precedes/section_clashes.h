// Rule (a) of causally-precedes, in one pass and without clocks.
//
// "<CP has a release-acquire edge between critical sections over the same lock that contain
// clashing events" (PREDICT, definition 5). Clashing here is: different threads, same location, not
// both reads. Atomic accesses count, since reorderings keep the writers of atomic reads too. A wait
// and a notify of one condition clash as well: swapping their sections would lose the wake-up. A
// section that the trace leaves open ends with the trace.
//
// Cost: a hash look-up per access and lock held, none for repeated accesses of a location between
// two synchronizations of the thread.
#pragma once

#include <vector>

#include "analysis/race/causally_precedes/cp_edges.h"
#include "analysis/race/section_accesses.h"
#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell {

class SectionClashes {
 public:
  explicit SectionClashes(CpEdges& edges) : edges_(edges) {}

  void on_event(const Event& e) {
    if (e.kind <= EventKind::Write) {
      access(e, static_cast<Touch>(e.kind));
    } else {
      other(e);
    }
  }

 private:
  struct Held {
    LockId lock;
    SectionNumber section;
    bool shared;
  };
  struct Thread {
    std::vector<Held> held;
    uint64_t segment = 1;  // changes when `held` does
  };
  struct LatestSegments {
    ThreadId thread[2] = {};  // by Touch
    uint64_t segment[2] = {};
  };

  void access(const Event& e, Touch touch) {
    Thread& thread = threads_[e.thread];
    if (thread.held.empty()) return;
    LatestSegments& latest = locations_[e.location()];
    const auto kind = static_cast<size_t>(touch);
    if (latest.segment[kind] == thread.segment && latest.thread[kind] == e.thread) return;
    latest.segment[kind] = thread.segment;
    latest.thread[kind] = e.thread;
    touch_all(accesses_, e.object, e.thread, touch, {touch == Touch::write, true});
  }
  void other(const Event& e);
  void touch_all(SectionAccesses<SectionNumber>& accesses, uint32_t object, ThreadId thread,
                 Touch touch, std::pair<bool, bool> against);
  void open(const Event& e, bool shared);
  void close(const Event& e);

  CpEdges& edges_;
  DenseTable<Thread, ThreadId> threads_;
  DenseTable<SectionNumber, LockId> sections_;  // begun so far
  DenseTable<LatestSegments, LocationId> locations_;
  SectionAccesses<SectionNumber> accesses_, conditions_;
};

}  // namespace foretell
