// SPDX-License-Identifier: Apache-2.0

// Typed ids: a thread is never mistaken for a lock. All are dense and start at 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace foretell {

enum class ThreadId : uint32_t {};
enum class LocationId : uint32_t {};
enum class LockId : uint32_t {};
enum class ConditionId : uint32_t {};
enum class BarrierId : uint32_t {};
enum class SemaphoreId : uint32_t {};
enum class LabelId : uint32_t {};
enum class FunctionId : uint32_t {};
enum class UserEventId : uint32_t {};
enum class StringId : uint32_t {};
enum class SiteId : uint32_t {};

// Position of an event in the input, counted from 0. Events that Foretell drops (re-entrant
// locking) leave gaps; the pieces of a split access share one.
enum class EventIndex : uint64_t {};

inline constexpr SiteId kNoSite{std::numeric_limits<uint32_t>::max()};
inline constexpr EventIndex kNoEvent{std::numeric_limits<uint64_t>::max()};

template <class Id>
constexpr size_t to_index(Id id) {
  return static_cast<size_t>(id);
}

}  // namespace foretell
