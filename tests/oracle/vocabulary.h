// SPDX-License-Identifier: Apache-2.0

// The names that generated traces use.
//
// A generated trace is first a bare list of events whose ids point into one fixed vocabulary, so
// that it can be copied and have events dropped; to_trace() then makes tables that hold only what
// the events name, in order of appearance, exactly as a reader of their text would.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace foretell::oracle {

using Events = std::vector<trace::Event>;

struct NamedLocation {
  std::string_view space;
  uint64_t offset;
  uint64_t size;
};

inline constexpr std::array<std::string_view, 4> kThreads = {"1", "2", "3", "4"};
inline constexpr std::array<std::string_view, 3> kLocks = {"l", "m", "n"};
inline constexpr std::array<std::string_view, 2> kConditions = {"c", "d"};
inline constexpr std::array<std::string_view, 2> kBarriers = {"b", "b2"};
inline constexpr std::array<std::string_view, 2> kSemaphores = {"s", "s2"};
inline constexpr std::array<std::string_view, 2> kLabels = {"deposit", "audit"};
inline constexpr std::array<std::string_view, 2> kFunctions = {"main", "std::map<int, int>::at"};
inline constexpr std::array<std::string_view, 2> kUserEvents = {"opened", "closed"};
inline constexpr std::array<std::string_view, 3> kArguments = {"", "42", "by \"hand\" twice"};
inline constexpr std::array<std::string_view, 2> kFiles = {"race.cpp", "a b.cpp"};

// Plain variables, ranges that overlap, addresses that overlap, and memory with lives.
inline constexpr std::array<NamedLocation, 12> kLocations = {{
    {"x", 0, 0},
    {"y", 0, 0},
    {"z", 0, 0},
    {"buf", 0, 4},
    {"buf", 2, 4},
    {"buf", 0, 8},
    {"", 0x1000, 4},
    {"", 0x1002, 2},
    {"heap", 0, 4},
    {"heap", 4, 4},
    {"heap", 0, 8},
    {"node", 0, 0},
}};
inline constexpr uint32_t kHeap = 10, kNode = 11;  // the locations that are allocated and freed

// A raw trace of `events`; their indices become their positions.
trace::Trace to_trace(const Events& events);

}  // namespace foretell::oracle
