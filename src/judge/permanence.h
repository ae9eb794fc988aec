// SPDX-License-Identifier: Apache-2.0

// Whether a deadlock that involves more than locks is permanent.
//
// A thread that waits for a lock, or for the end of a stuck thread, waits forever, whatever the
// others do. A post, a notify or an arrival at a barrier can come from any thread that continues,
// even one that did nothing of the kind in the trace: a trace says nothing about a thread after a
// read that returns something else. So the other threads are run further, as recorded, and each
// must reach its end or be stuck as well. The end of the first thread ends the program, and its
// deadlocks.
#pragma once

#include <optional>
#include <string>

#include "judge/goal.h"

namespace foretell::judge {

// Why the deadlock may end by itself after its witness; nothing if it is permanent. `goal` is
// settled.
std::optional<std::string> why_not_permanent(const TraceFacts& facts, const Goal& goal,
                                             const Reordering& witness);

}  // namespace foretell::judge
