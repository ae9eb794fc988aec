// What a confirmed finding does to the program: it goes on from the end of the schedule, and how it
// ends is compared with how it ended when it was recorded. Of a race both orders are tried, because
// often only one of them does harm. If a read returns something else and the program ends as it
// did, what it prints is compared with what the recorded run prints.
#pragma once

#include <string>

#include "replay/replayer.h"

namespace foretell {

// "with T2's access first, the program is killed by SIGSEGV (Segmentation fault)"; empty if it ends
// as it did.
Result<std::string> consequence_of(const Replayer& replayer, const Schedule& schedule,
                                   const Expectation& expectation, const ReplayRequest& request);

}  // namespace foretell
