// Words about deadlocks that all text reports share.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell {

// "'m'" for a lock, "the end of thread T2", "a post of 'full'": what the event waits for.
std::string awaited_text(const DescribedEvent& e);

// Whether it waits for a lock and nothing else.
bool waits_for_lock(const DescribedEvent& e);

// How to mend it: "release 'm' before waiting for a post of 's'", or report/lock_order.h. Empty if
// nothing simple can be said.
std::string deadlock_fix(const Finding& f);

}  // namespace foretell
