// SPDX-License-Identifier: Apache-2.0

#include "bitcode/library.h"

#include "bitcode/code/constrain.h"
#include "bitcode/code/lower.h"
#include "bitcode/code/prepare.h"
#include "bitcode/facts_of.h"

extern "C" [[gnu::visibility("default")]] void foretell_facts_of_file(
    const std::string& path, const foretell::bitcode::FactOptions& options,
    foretell::Result<foretell::program::Facts>& facts) {
  facts = foretell::bitcode::facts_of_file(path, options);
}

extern "C" [[gnu::visibility("default")]] void foretell_prepare(
    const std::vector<std::string>& paths, foretell::Result<std::string>& bitcode) {
  bitcode = foretell::bitcode::prepare(paths);
}

extern "C" [[gnu::visibility("default")]] void foretell_lower(
    const std::string& bitcode, foretell::Result<foretell::program::Code>& code) {
  code = foretell::bitcode::lower(bitcode);
}

extern "C" [[gnu::visibility("default")]] void foretell_constrain(
    const std::string& bitcode, const foretell::bitcode::ConstrainPlan& plan,
    foretell::Result<std::string>& constrained) {
  constrained = foretell::bitcode::constrain(bitcode, plan);
}
