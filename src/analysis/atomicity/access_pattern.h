// Patterns of three accesses to one location: of a block, of an intruder, of the block again.
//
// R reads, W writes, U does both at once. An interleaving of three is unserializable if the
// intruder conflicts with both of the block's accesses (Lu, Tucek, Qin and Zhou, AVIO, ASPLOS
// 2006).
#pragma once

#include <array>
#include <string_view>

#include "trace/event.h"

namespace foretell {

enum class AccessClass : uint8_t { read, write, update };

constexpr AccessClass access_class(EventKind kind) {
  if (kind == EventKind::AtomicRmw) return AccessClass::update;
  return kind == EventKind::Read || kind == EventKind::AtomicRead ? AccessClass::read
                                                                  : AccessClass::write;
}

// Of accesses to one location.
constexpr bool are_in_conflict(EventKind a, EventKind b) {
  return access_class(a) != AccessClass::read || access_class(b) != AccessClass::read;
}

// "R-W-R". Empty unless the intruder conflicts with both of the others.
constexpr std::string_view pattern_of(EventKind first, EventKind intruder, EventKind last) {
  constexpr std::array<std::string_view, 27> kNames = {
      "", "",      "",      "R-W-R", "R-W-W", "R-W-U", "R-U-R", "R-U-W", "R-U-U",
      "", "W-R-W", "W-R-U", "W-W-R", "W-W-W", "W-W-U", "W-U-R", "W-U-W", "W-U-U",
      "", "U-R-W", "U-R-U", "U-W-R", "U-W-W", "U-W-U", "U-U-R", "U-U-W", "U-U-U"};
  return kNames[static_cast<size_t>(access_class(first)) * 9 +
                static_cast<size_t>(access_class(intruder)) * 3 +
                static_cast<size_t>(access_class(last))];
}

// The final state and all reads are those of the intruder coming first: harmless.
constexpr bool only_writes(EventKind first, EventKind intruder, EventKind last) {
  return access_class(first) == AccessClass::write &&
         access_class(intruder) == AccessClass::write && access_class(last) == AccessClass::write;
}

}  // namespace foretell
