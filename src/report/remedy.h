// SPDX-License-Identifier: Apache-2.0

// How to fix a finding, in one line.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// A race: the lock that would keep the two apart, if one of them, or both elsewhere, already use
// it. A deadlock: the order to take the locks in, or the lock not to wait with. Atomicity: the lock
// to keep. Empty if none comes to mind.
std::string remedy_for(const finding::Finding& finding);

}  // namespace foretell::report
