// SPDX-License-Identifier: Apache-2.0

#include "bitcode/library.h"

#include "bitcode/facts_of.h"

extern "C" [[gnu::visibility("default")]] void foretell_facts_of_file(
    const std::string& path, const foretell::bitcode::FactOptions& options,
    foretell::Result<foretell::program::Facts>& facts) {
  facts = foretell::bitcode::facts_of_file(path, options);
}

extern "C" [[gnu::visibility("default")]] void foretell_symbolize(
    const std::vector<foretell::program::CodeAddress>& addresses,
    std::vector<std::vector<foretell::program::CodePlace>>& places) {
  places = foretell::bitcode::symbolize(addresses);
}
