// SPDX-License-Identifier: Apache-2.0

// Words about deadlocks that all text reports share.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// "'m'" for a lock, "the end of thread T2", "a post of 'full'": what the event waits for.
std::string awaited_text(const finding::DescribedEvent& e);

// Whether it waits for a lock and nothing else.
bool waits_for_lock(const finding::DescribedEvent& e);

// Whether it is a wait; else all that is known of a hung thread is its last step.
bool is_known_wait(const finding::DescribedEvent& e);

// Whether it is a deadlock in which each event waits for what the next one's thread holds.
bool is_cycle(const finding::Finding& f);

// Whether the only event is a wait whose notify came too early.
bool is_lost_notify(const finding::Finding& f);

// What a lost notification is about, as far as the end of its witness shows it; null: it does not.
struct LostNotify {
  const finding::DescribedEvent* notify = nullptr;  // that comes too early
  const finding::DescribedEvent* check = nullptr;   // where the thread found that it has to wait
  const finding::DescribedEvent* change = nullptr;  // after which it need not wait
};
LostNotify lost_notify(const finding::Finding& f);

// How to fix it: "release 'm' before waiting for a post of 's'", or report/lock_order.h. Empty if
// nothing simple can be said.
std::string deadlock_fix(const finding::Finding& f);

}  // namespace foretell::report
