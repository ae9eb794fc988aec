// SPDX-License-Identifier: Apache-2.0

// Event: one step of one thread in a recorded run.
//
// Two readings of the same struct:
//   raw         as a file says it. Locations may overlap, partners are tickets or missing.
//   normalized  as analyses see it (trace/normalizer.h). Locations coincide or do not overlap,
//               re-entrant locking is folded, partners are event indices.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "recording/memory_order.h"

namespace foretell::trace {

enum class EventKind : uint8_t {
#define FORETELL_EVENT(kind, ...) kind,
#include "trace/event.def"
};

inline constexpr size_t kEventKindCount = 0
#define FORETELL_EVENT(...) +1
#include "trace/event.def"
    ;

// What an event carries in addition to thread and site; the text syntax and the fields in use
// follow.
enum class Operands : uint8_t {
  None,       //
  Access,     // LOCATION [VALUE]
  Atomic,     // LOCATION [ORDER] [VALUE]
  AtomicRmw,  // LOCATION [ORDER] [VALUE-READ VALUE-WRITTEN]
  Order,      // [ORDER]
  Lock,       // LOCK
  Thread,     // THREAD
  Label,      // LABEL
  Wait,       // CONDITION LOCK
  Wake,       // CONDITION LOCK [#TICKET | spurious]
  Notify,     // CONDITION [#TICKET]
  Barrier,    // BARRIER [#GENERATION]
  Post,       // SEMAPHORE [#TICKET]
  Down,       // SEMAPHORE [#TICKET | initial]
  Function,   // FUNCTION
  Branch,     // [VALUE]
  Alloc,      // LOCATION [SIZE]
  Free,       // LOCATION
  User,       // NAME [ARGUMENTS to the end of the line]
};

// The columns of event.def.
std::string_view word_of(EventKind kind);
std::string_view action_of(EventKind kind);
std::string_view verb_of(EventKind kind);
std::string_view participle_of(EventKind kind);
std::string_view text_of(EventKind kind);
Operands operands_of(EventKind kind);
std::string_view word_of(MemoryOrder order);

struct Event {
  // The partner of a wake, notify, barrier, post or down (`value`) in raw events: a ticket shared
  // by the two sides, or one of these.
  static constexpr uint64_t kUnknown = 0;               // to be inferred
  static constexpr uint64_t kNoPartner = ~uint64_t{0};  // spurious wake-up, initial count

  enum Flags : uint16_t {
    kHasValue = 1,      // `value` is known (accesses, branches)
    kHasReadValue = 2,  // AtomicRmw: `extra`, the value read, is known
    kAmbiguous = 4,     // Read: which write it returned is not known (a --parallel recording)
  };

  EventKind kind{};
  MemoryOrder order = MemoryOrder::seq_cst;  // atomics and fences only
  uint16_t flags = 0;
  ThreadId thread{};
  uint32_t object = 0;  // id of the location, lock, thread, ... that operands_of(kind) names
  SiteId site = kNoSite;
  uint64_t value = 0;  // value; ticket (raw) or partner (normalized); generation + 1; size
  uint64_t extra = 0;  // Wait, Wake: LockId. AtomicRmw: value read. User: StringId of the arguments
  EventIndex index{};

  LocationId location() const { return LocationId{object}; }
  LockId lock() const {
    const bool of_condition = kind == EventKind::WaitBegin || kind == EventKind::WaitEnd;
    return LockId{of_condition ? static_cast<uint32_t>(extra) : object};
  }
  ThreadId other_thread() const { return ThreadId{object}; }
  ConditionId condition() const { return ConditionId{object}; }
  BarrierId barrier() const { return BarrierId{object}; }
  SemaphoreId semaphore() const { return SemaphoreId{object}; }
  LabelId label() const { return LabelId{object}; }
  FunctionId function() const { return FunctionId{object}; }
  UserEventId user_event() const { return UserEventId{object}; }
  StringId arguments() const { return StringId{static_cast<uint32_t>(extra)}; }

  bool has_value() const { return flags & kHasValue; }
  bool has_read_value() const { return flags & kHasReadValue; }
  bool is_ambiguous() const { return flags & kAmbiguous; }
  uint64_t read_value() const { return extra; }

  // Normalized wake, down: the notify or post that served it, or kNoEvent.
  EventIndex partner() const { return EventIndex{value}; }
  // Normalized barrier events: how often the barrier had opened before.
  uint64_t generation() const { return value; }

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 40, "batches of events are sized for the cache");

constexpr bool is_plain_access(EventKind kind) {
  return kind == EventKind::Read || kind == EventKind::Write;
}
constexpr bool is_atomic_access(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite ||
         kind == EventKind::AtomicRmw;
}
// Touches a location. Free counts: it clashes with every access of what it frees.
constexpr bool is_access(EventKind kind) {
  return is_plain_access(kind) || is_atomic_access(kind) || kind == EventKind::Free;
}
constexpr bool is_read(EventKind kind) {
  return kind == EventKind::Read || kind == EventKind::AtomicRead || kind == EventKind::AtomicRmw;
}
// Stores a value that a later read returns.
constexpr bool is_write(EventKind kind) {
  return kind == EventKind::Write || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}
constexpr bool is_destruction(EventKind kind) {
  return kind == EventKind::DestroyLock || kind == EventKind::DestroyCondition ||
         kind == EventKind::DestroyBarrier || kind == EventKind::DestroySemaphore;
}
// Whether an event needs the object alive that another one destroys. A wait for something else, or
// for a notify that has come, needs it no more: a condition may be destroyed as soon as its waiters
// are notified, a barrier as soon as all have arrived.
constexpr bool uses_destroyed(const Event& use, const Event& destruction) {
  if (use.object != destruction.object) return false;
  if (use.kind == destruction.kind) return true;
  using enum EventKind;
  switch (destruction.kind) {
    case DestroyLock:
      return use.kind == Request || use.kind == RequestShared || use.kind == Acquire ||
             use.kind == AcquireShared || use.kind == Release || use.kind == ReleaseShared ||
             use.kind == TryFail || use.kind == TryFailShared;
    case DestroyCondition:
      return use.kind == WaitBegin || use.kind == NotifyOne || use.kind == NotifyAll;
    case DestroyBarrier:
      return use.kind == BarrierEnter;
    case DestroySemaphore:
      return use.kind == SemaphorePost || use.kind == SemaphoreWait;
    default:
      return false;
  }
}
// PREDICT 7.3, for C++: same location, different threads, not both reads, not both atomic. And the
// destruction of a lock, condition, ... with its use.
constexpr bool clash(const Event& a, const Event& b) {
  if (is_destruction(a.kind) || is_destruction(b.kind)) {
    const bool used = is_destruction(b.kind) ? uses_destroyed(a, b) : uses_destroyed(b, a);
    return used && a.thread != b.thread;
  }
  if (!is_access(a.kind) || !is_access(b.kind) || a.thread == b.thread || a.object != b.object) {
    return false;
  }
  if (is_atomic_access(a.kind) && is_atomic_access(b.kind)) return false;
  const bool both_read = (a.kind == EventKind::Read || a.kind == EventKind::AtomicRead) &&
                         (b.kind == EventKind::Read || b.kind == EventKind::AtomicRead);
  return !both_read;
}

constexpr bool is_acquire(MemoryOrder order) {
  return order == MemoryOrder::acquire || order == MemoryOrder::consume ||
         order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}
constexpr bool is_release(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel ||
         order == MemoryOrder::seq_cst;
}

}  // namespace foretell::trace
