// What a race explains is not reported a second time as nondeterminism.
//
// If two accesses race, either can come first, and the value that is read depends on it: the read
// and the write it could see instead, or the write it saw, or these two writes. The race is the
// cause, and its report says how to fix it.
#pragma once

#include <vector>

#include "finding/result.h"

namespace foretell {

void drop_what_races_explain(std::vector<Finding>& findings);

}  // namespace foretell
