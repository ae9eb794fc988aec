#include "conflict.h"

namespace foretell::oracle {
namespace {

bool names_lock(EventKind kind) {
  return operands_of(kind) == Operands::Lock || kind == EventKind::WaitBegin ||
         kind == EventKind::WaitEnd;
}

// Clashing accesses, where two atomics count unless both only read.
bool accesses_conflict(const Event& a, const Event& b) {
  if (!is_access(a.kind) || !is_access(b.kind) || a.object != b.object) return false;
  auto only_reads = [](EventKind k) { return k == EventKind::Read || k == EventKind::AtomicRead; };
  return !(only_reads(a.kind) && only_reads(b.kind));
}

// One direction; `a` is what the pair is named after.
bool paired(const Semantics& semantics, Position pa, Position pb) {
  const Event& a = semantics.event(pa);
  const Event& b = semantics.event(pb);
  if (a.kind == EventKind::Fork || a.kind == EventKind::Join) return a.other_thread() == b.thread;
  if (a.kind == EventKind::BarrierEnter && b.kind == EventKind::BarrierExit) {
    return a.barrier() == b.barrier() && a.generation() == b.generation();
  }
  return semantics.server_of(pb) == pa;
}

}  // namespace

bool conflict(const Semantics& semantics, Position pa, Position pb) {
  const Event& a = semantics.event(pa);
  const Event& b = semantics.event(pb);
  if (a.thread == b.thread || accesses_conflict(a, b)) return true;
  if (names_lock(a.kind) && names_lock(b.kind) && a.lock() == b.lock()) return true;
  return paired(semantics, pa, pb) || paired(semantics, pb, pa);
}

}  // namespace foretell::oracle
