// The way out of a deadlock by lock order: which order to keep, and who does not keep it.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell {

// "lock 'a' before 'b' everywhere; T2 does not (file.cc:4:3)". If all threads are in the same
// line, order cannot be told by names; then one order of the objects, or one call for all locks.
// Empty if the deadlock is no cycle of locks.
std::string lock_order(const Finding& deadlock);

}  // namespace foretell
