// Whether a deadlock over more than locks lasts.
//
// Who waits for a lock or the end of a stuck thread waits for good, whatever the others do. A post,
// a notify or an arrival at a barrier can come from any thread that goes on, also one that did
// nothing of the kind in the trace: what a trace shows of a thread ends where a read returns
// something else. So the other threads are run on, as recorded, and each must come to its end or be
// stuck as well. The end of the first thread is the end of the program, and of its deadlocks.
#pragma once

#include <optional>
#include <string>

#include "judge/goal.h"

namespace foretell {

// Why the deadlock may end by itself after its witness; nothing if it lasts. `goal` is settled.
std::optional<std::string> why_not_for_good(const TraceFacts& facts, const Goal& goal,
                                            const Reordering& witness);

}  // namespace foretell
