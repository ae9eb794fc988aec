// SPDX-License-Identifier: Apache-2.0

// What `foretell` calls in lib/foretell/foretell_bitcode.so.
//
// The room is a library of its own that is loaded when it is needed: loading LLVM takes longer than
// all else a short command does, and `foretell cc` starts for every file of a build.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "bitcode/fact_options.h"
#include "program/code.h"
#include "program/facts.h"

namespace foretell::bitcode {

using FactsOfFile = void(const std::string& path, const FactOptions& options,
                         Result<program::Facts>& facts);
inline constexpr char kFactsOfFile[] = "foretell_facts_of_file";

using Prepare = void(const std::vector<std::string>& paths, Result<std::string>& bitcode);
inline constexpr char kPrepare[] = "foretell_prepare";

using Lower = void(const std::string& bitcode, Result<program::Code>& code);
inline constexpr char kLower[] = "foretell_lower";

struct ConstrainPlan;
using Constrain = void(const std::string& bitcode, const ConstrainPlan& plan,
                       Result<std::string>& constrained);
inline constexpr char kConstrain[] = "foretell_constrain";

}  // namespace foretell::bitcode

// facts_of_file() of bitcode/facts_of.h.
extern "C" foretell::bitcode::FactsOfFile foretell_facts_of_file;
// prepare() of bitcode/code/prepare.h.
extern "C" foretell::bitcode::Prepare foretell_prepare;
// lower() of bitcode/code/lower.h.
extern "C" foretell::bitcode::Lower foretell_lower;
// constrain() of bitcode/code/constrain.h.
extern "C" foretell::bitcode::Constrain foretell_constrain;
