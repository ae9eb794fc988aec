// SPDX-License-Identifier: Apache-2.0

// Lock sections: what lies between an acquire (or wake) and its release (or wait).
#pragma once

#include "trace/event.h"
#include "trace/event_match.h"

namespace foretell::trace {

constexpr bool begins_section(EventKind kind) {
  return kSectionBegins.contains(kind);
}
constexpr bool ends_section(EventKind kind) {
  return kSectionEnds.contains(kind);
}
// A section begun so excludes every other one; a shared one excludes the exclusive ones.
constexpr bool begins_exclusive(EventKind kind) {
  return begins_section(kind) && kind != EventKind::AcquireShared;
}
constexpr bool excludes(EventKind a, EventKind b) {
  return begins_exclusive(a) || begins_exclusive(b);
}

// Acquires of one lock that exclude each other: if both are next, either can come first.
constexpr bool can_meet(const Event& a, const Event& b) {
  if (!begins_section(a.kind) || !begins_section(b.kind)) return false;
  return a.thread != b.thread && a.lock() == b.lock() && excludes(a.kind, b.kind);
}

}  // namespace foretell::trace
