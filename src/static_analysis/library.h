// SPDX-License-Identifier: Apache-2.0

// What `foretell` calls of this room in lib/foretell/foretell_bitcode.so (bitcode/library.h says why
// it is a library).
#pragma once

#include "static_analysis/determinism/determinism.h"
#include "static_analysis/parallelize/parallelize.h"

namespace foretell::static_analysis {

using CheckRaces = void(const std::vector<BitcodeFile>& files, const CheckOptions& options,
                        Result<CheckResult>& result);
inline constexpr char kCheckRaces[] = "foretell_check_races";

using CheckDeterminism = void(const std::vector<BitcodeFile>& files,
                              const DeterminismOptions& options, Result<DeterminismResult>& result);
inline constexpr char kCheckDeterminism[] = "foretell_check_determinism";

using Parallelize = void(const std::vector<BitcodeFile>& files, const ParallelizeOptions& options,
                         Result<ParallelizeResult>& result);
inline constexpr char kParallelize[] = "foretell_parallelize";

}  // namespace foretell::static_analysis

// check_races() of static_analysis/check.h.
extern "C" foretell::static_analysis::CheckRaces foretell_check_races;
// check_determinism() of static_analysis/determinism/determinism.h.
extern "C" foretell::static_analysis::CheckDeterminism foretell_check_determinism;
// parallelize() of static_analysis/parallelize/parallelize.h.
extern "C" foretell::static_analysis::Parallelize foretell_parallelize;
