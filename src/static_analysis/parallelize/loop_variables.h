// SPDX-License-Identifier: Apache-2.0

// The variables of the source that a loop assigns to, by debug information.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include <set>
#include <string>
#include <vector>

namespace foretell::static_analysis {

// Variables of the function that `near` stands in whose value this is at some point.
std::set<std::string> variables_of(const llvm::Value& value, const llvm::DebugLoc& near);
// Variables declared before the loop that each iteration assigns to for itself: in registers nothing
// of them goes from one iteration to another. Not what is reduced.
void find_privates(const llvm::Loop& loop, const std::vector<std::string>& reduced,
                   std::vector<std::string>& privates);

}  // namespace foretell::static_analysis
