// What a race explains is not reported a second time as nondeterminism.
//
// If two accesses race, who comes first is chance, and so is what is read: the read and the write
// it could see instead, or the write it saw, or these two writes. The race is the cause and says
// how to mend it.
#pragma once

#include <vector>

#include "finding/result.h"

namespace foretell {

void drop_what_races_explain(std::vector<Finding>& findings);

}  // namespace foretell
