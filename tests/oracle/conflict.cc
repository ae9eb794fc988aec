// SPDX-License-Identifier: Apache-2.0

#include "conflict.h"

namespace foretell::oracle {
namespace {

// How an event uses the lock it names: who only asks for it changes nothing.
enum class Use { none, exclusive, shared, trying };

Use use_of(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::Acquire:
    case trace::EventKind::Release:
    case trace::EventKind::WaitBegin:
    case trace::EventKind::WaitEnd:
      return Use::exclusive;
    case trace::EventKind::AcquireShared:
    case trace::EventKind::ReleaseShared:
    case trace::EventKind::TryFailShared:
      return Use::shared;
    case trace::EventKind::TryFail:
      return Use::trying;
    default:
      return Use::none;
  }
}

// Shared uses commute with each other, and so do failed tries.
bool uses_conflict(const trace::Event& a, const trace::Event& b) {
  const Use one = use_of(a.kind), other = use_of(b.kind);
  if (one == Use::none || other == Use::none || a.lock() != b.lock()) return false;
  return one == Use::exclusive || one != other;
}

// Clashing accesses, where two atomics count unless both only read.
bool accesses_conflict(const trace::Event& a, const trace::Event& b) {
  if (!is_access(a.kind) || !is_access(b.kind) || a.object != b.object) return false;
  auto only_reads = [](trace::EventKind k) {
    return k == trace::EventKind::Read || k == trace::EventKind::AtomicRead;
  };
  return !(only_reads(a.kind) && only_reads(b.kind));
}

// One direction; `a` is what the pair is named after.
bool paired(const Semantics& semantics, Position pa, Position pb) {
  const trace::Event& a = semantics.event(pa);
  const trace::Event& b = semantics.event(pb);
  if (a.kind == trace::EventKind::Fork || a.kind == trace::EventKind::Join)
    return a.other_thread() == b.thread;
  if (a.kind == trace::EventKind::BarrierEnter && b.kind == trace::EventKind::BarrierExit) {
    return a.barrier() == b.barrier() && a.generation() == b.generation();
  }
  return semantics.server_of(pb) == pa;
}

}  // namespace

bool conflict(const Semantics& semantics, Position pa, Position pb) {
  const trace::Event& a = semantics.event(pa);
  const trace::Event& b = semantics.event(pb);
  if (a.thread == b.thread || accesses_conflict(a, b)) return true;
  if (uses_conflict(a, b)) return true;
  return paired(semantics, pa, pb) || paired(semantics, pb, pa);
}

}  // namespace foretell::oracle
