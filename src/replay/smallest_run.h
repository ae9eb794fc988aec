// SPDX-License-Identifier: Apache-2.0

// The smallest run with the same bug as a finding (PREDICT, chapter 25: replay the problem instead
// of the program): its threads do nothing but take the locks they hold and meet.
//
//   race            the locks of both, the two accesses, the locks back
//   deadlock        over locks: one thread after the other, so that the run ends; a lost
//                   notification: the wait, the notify, the wake
//   atomicity       the block, with what tears it apart where it does
//   nondeterminism  the write that can be seen, the one that was, the read after both have ended;
//                   if the value can be the initial one or both writes are one thread's, just these
#pragma once

#include <optional>
#include <string>

#include "finding/result.h"

namespace foretell::replay {

// As Tiddle text. None of deadlocks over joins, semaphores and barriers: what their threads would
// have done is not in the finding.
std::optional<std::string> smallest_run(const finding::Finding& finding);

}  // namespace foretell::replay
