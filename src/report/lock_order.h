// SPDX-License-Identifier: Apache-2.0

// How to fix a lock-order deadlock: which order to keep, and which thread does not keep it.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// "lock 'a' before 'b' everywhere; T2 does not (file.cc:4:3)". If all threads are in the same
// line, names do not define an order: then use one order of the objects, or one call for all locks.
// Empty if the deadlock is not a cycle of locks.
std::string lock_order(const finding::Finding& deadlock);

}  // namespace foretell::report
