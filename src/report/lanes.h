// Lanes: an interleaving with threads as columns and time downwards.
#pragma once

#include <string>

#include "analysis/result.h"

namespace foretell {

// The end of a race's witness; its last two steps stand side by side, joined by "<-->". More
// threads than fit 80 columns become a numbered list with the thread's name in every line.
std::string draw_lanes(const Witness& witness);

}  // namespace foretell
