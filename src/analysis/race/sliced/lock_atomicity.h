// SPDX-License-Identifier: Apache-2.0

// Lock atomicity (SLICED 3.2, definition 8, theorem 3): which events one critical section holds
// together.
//
// Every section of a lock has a number, counted over the whole trace. An event carries the numbers of
// the sections that it is in, its acquire and release included; two events are atomic with respect to
// a lock iff they have the same number of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trace/event.h"

namespace foretell::analysis::sliced {

using Sections = std::vector<std::pair<LockId, uint32_t>>;  // by lock

// By event. The document keeps -1 for a lock that is not held; here it is not listed.
std::vector<Sections> sections_of(std::span<const trace::Event> events);

// LS(e)(l): nothing stands for -1.
std::optional<uint32_t> section_in(const Sections& sections, LockId lock);

}  // namespace foretell::analysis::sliced
