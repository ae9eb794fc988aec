// SPDX-License-Identifier: Apache-2.0

// Patterns of three accesses to one location: of a block, of an intruder, of the block again.
//
// R reads, W writes, U does both at once. An interleaving of three is unserializable if the
// intruder conflicts with both of the block's accesses (Lu, Tucek, Qin and Zhou, AVIO, ASPLOS
// 2006).
#pragma once

#include <array>

#include "finding/finding.h"
#include "trace/event.h"

namespace foretell::analysis {

enum class AccessClass : uint8_t { read, write, update };

constexpr AccessClass access_class(trace::EventKind kind) {
  if (kind == trace::EventKind::AtomicRmw) return AccessClass::update;
  return kind == trace::EventKind::Read || kind == trace::EventKind::AtomicRead
             ? AccessClass::read
             : AccessClass::write;
}

// Of accesses to one location.
constexpr bool are_in_conflict(trace::EventKind a, trace::EventKind b) {
  return access_class(a) != AccessClass::read || access_class(b) != AccessClass::read;
}

// "R-W-R". None unless the intruder conflicts with both of the others.
constexpr finding::AtomicityPattern pattern_of(trace::EventKind first, trace::EventKind intruder,
                                               trace::EventKind last) {
  using enum finding::AtomicityPattern;
  constexpr std::array<finding::AtomicityPattern, 27> kPatterns = {
      none, none, none, rwr, rww, rwu, rur, ruw, ruu,  //
      none, wrw,  wru,  wwr, www, wwu, wur, wuw, wuu,  //
      none, urw,  uru,  uwr, uww, uwu, uur, uuw, uuu};
  return kPatterns[static_cast<size_t>(access_class(first)) * 9 +
                   static_cast<size_t>(access_class(intruder)) * 3 +
                   static_cast<size_t>(access_class(last))];
}

// The final state and all reads are those of the intruder coming first: harmless.
constexpr bool only_writes(trace::EventKind first, trace::EventKind intruder,
                           trace::EventKind last) {
  return access_class(first) == AccessClass::write &&
         access_class(intruder) == AccessClass::write && access_class(last) == AccessClass::write;
}

}  // namespace foretell::analysis
