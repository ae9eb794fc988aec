// SPDX-License-Identifier: Apache-2.0

#include "analysis/memory/destruction/destruction.h"

#include <algorithm>
#include <utility>

namespace foretell::analysis {
namespace {

bool is_at_one_place(const trace::Event& a, const trace::Event& b) {
  return a.site == b.site && a.kind == b.kind && a.site != kNoSite;
}

// One stands for both: whatever holds of the one use holds of the other.
bool is_alike(const trace::Event& a, const trace::Event& b) {
  return a.thread == b.thread && is_at_one_place(a, b);
}

}  // namespace

Destruction::Table Destruction::table_of(trace::EventKind kind) {
  using enum trace::EventKind;
  switch (kind) {
    case Request:
    case RequestShared:
    case Acquire:
    case AcquireShared:
    case Release:
    case ReleaseShared:
    case TryFail:
    case TryFailShared:
    case DestroyLock:
      return Table::locks;
    case WaitBegin:
    case NotifyOne:
    case NotifyAll:
    case DestroyCondition:
      return Table::conditions;
    case BarrierEnter:
    case DestroyBarrier:
      return Table::barriers;
    case SemaphorePost:
    case SemaphoreWait:
    case DestroySemaphore:
      return Table::semaphores;
    default:
      return Table::none;
  }
}

void Destruction::on_event(const trace::Event& e) {
  if (e.kind == trace::EventKind::Fork) fork(e);
  if (e.kind == trace::EventKind::Join) join(e);
  const Table table = table_of(e.kind);
  if (table == Table::none) return;
  if (is_destruction(e.kind)) {
    meet_destruction(e);
  } else {
    meet_use(e);
  }
}

clocks::VectorClock& Destruction::clock(ThreadId thread) {
  clocks::VectorClock& clock = clocks_[thread];
  if (clock.head().is_zero()) clock.raise(clocks::Epoch(thread, 1));
  return clock;
}

void Destruction::fork(const trace::Event& e) {
  const clocks::VectorClock creator = clock(e.thread);
  clock(e.thread).increment_head();
  clock(e.other_thread()).join(creator);
}

void Destruction::join(const trace::Event& e) {
  const clocks::VectorClock ended = clock(e.other_thread());
  clock(e.thread).join(ended);
}

void Destruction::meet_use(const trace::Event& e) {
  Object& object = objects_[{static_cast<uint32_t>(table_of(e.kind)), e.object}];
  const auto alike = [&](const trace::Event& other) { return is_alike(e, other); };
  const Use use{e, clock(e.thread).head()};
  if (const auto it = std::ranges::find_if(object.uses, alike, &Use::event);
      it != object.uses.end()) {
    *it = use;
  } else if (object.uses.size() < kMostUses) {
    object.uses.push_back(use);
  } else {
    ++left_out_;
  }
  if (object.destructions.empty() || std::ranges::any_of(object.later, alike)) return;
  if (object.later.size() == kMostUses) {
    ++left_out_;
    return;
  }
  object.later.push_back(e);
  for (const trace::Event& destruction : object.destructions) propose(destruction, e);
}

void Destruction::meet_destruction(const trace::Event& e) {
  ++destructions_;
  Object& object = objects_[{static_cast<uint32_t>(table_of(e.kind)), e.object}];
  const clocks::VectorClock& now = clock(e.thread);
  std::vector<trace::Event> over;
  for (const Use& use : object.uses) {
    if (now.contains(use.when)) {
      const auto alike = [&](const trace::Event& other) {
        return is_at_one_place(use.event, other);
      };
      if (std::ranges::any_of(over, alike)) continue;
      over.push_back(use.event);
    }
    propose(use.event, e);
  }
  for (const trace::Event& other : object.destructions) propose(other, e);
  object.later.clear();
  if (object.destructions.size() < kMostDestructions) object.destructions.push_back(e);
}

void Destruction::propose(const trace::Event& first, const trace::Event& second) {
  if (!clash(first, second)) return;
  ++proposals_;
  sink_.propose({.kind = finding::FindingKind::memory,
                 .events = {finding::EventRef::of(first), finding::EventRef::of(second)},
                 .location = LocationId{second.object}});
}

void Destruction::report_counters(CounterSink& sink) const {
  sink.count("destructions", destructions_);
  sink.count("proposals", proposals_);
  if (left_out_ > 0) sink.left_out("uses of a lock or condition at more than 64 places");
}

}  // namespace foretell::analysis
