// Whether the recorded run synchronized two racing accesses, for "why it did not show".
//
// From the first access on, follows everything that could carry an order: threads that come after
// it, and the objects they release. This is more than happens-before (memory orders and fences are
// taken at their strongest), so a second access that is not reached is certainly unordered; one
// that is reached through a lock that the first thread itself gave up is certainly after it. What
// lies between the two stays unknown.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <optional>
#include <span>

#include "analysis/result.h"
#include "trace/tables.h"

namespace foretell {

class OrderWatch {
 public:
  OrderWatch(EventIndex first, EventIndex second) : first_(first), second_(second) {}

  // Normalised events, in order.
  void on_events(std::span<const Event> batch);
  RecordedOrder result(const TraceTables& tables) const;

  static constexpr uint64_t kLongest = 1'000'000;  // events between the two that are looked at

 private:
  enum class ObjectKind : uint64_t { lock, condition, barrier, semaphore, location };
  static uint64_t key(ObjectKind kind, uint32_t id) {
    return static_cast<uint64_t>(kind) << 32 | id;
  }
  void on_event(const Event& e);
  void release(const Event& e);
  bool reached(const Event& e) const;

  EventIndex first_, second_;
  enum class Phase : uint8_t { before, between, after } phase_ = Phase::before;
  ThreadId first_thread_{};
  uint64_t seen_ = 0;  // events between
  bool too_far_ = false;
  bool fence_ = false;
  bool ordered_ = false;
  absl::flat_hash_set<ThreadId> threads_;
  absl::flat_hash_set<uint64_t> objects_;
  absl::flat_hash_set<LockId> given_up_;  // by the first thread itself
  // Locks of given_up_ that others took, by the taker; the first counts.
  absl::flat_hash_map<ThreadId, LockId> taken_;
  std::optional<LockId> lock_;
};

}  // namespace foretell
