// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/library.h"

extern "C" [[gnu::visibility("default")]] void foretell_check_races(
    const std::vector<foretell::static_analysis::BitcodeFile>& files,
    const foretell::static_analysis::CheckOptions& options,
    foretell::Result<foretell::static_analysis::CheckResult>& result) {
  result = foretell::static_analysis::check_races(files, options);
}

extern "C" [[gnu::visibility("default")]] void foretell_check_determinism(
    const std::vector<foretell::static_analysis::BitcodeFile>& files,
    const foretell::static_analysis::DeterminismOptions& options,
    foretell::Result<foretell::static_analysis::DeterminismResult>& result) {
  result = foretell::static_analysis::check_determinism(files, options);
}

extern "C" [[gnu::visibility("default")]] void foretell_parallelize(
    const std::vector<foretell::static_analysis::BitcodeFile>& files,
    const foretell::static_analysis::ParallelizeOptions& options,
    foretell::Result<foretell::static_analysis::ParallelizeResult>& result) {
  result = foretell::static_analysis::parallelize(files, options);
}
