// SPDX-License-Identifier: Apache-2.0

// What `foretell` calls in lib/foretell/foretell_bitcode.so.
//
// The room is a library of its own that is loaded when it is needed: loading LLVM takes longer than
// all else a short command does, and `foretell cc` starts for every file of a build.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "bitcode/fact_options.h"
#include "bitcode/symbols.h"
#include "program/facts.h"

namespace foretell::bitcode {

using FactsOfFile = void(const std::string& path, const FactOptions& options,
                         Result<program::Facts>& facts);
inline constexpr char kFactsOfFile[] = "foretell_facts_of_file";

using Symbolize = void(const std::vector<program::CodeAddress>& addresses,
                       std::vector<std::vector<program::CodePlace>>& places);
inline constexpr char kSymbolize[] = "foretell_symbolize";

}  // namespace foretell::bitcode

// facts_of_file() of bitcode/facts_of.h.
extern "C" foretell::bitcode::FactsOfFile foretell_facts_of_file;
// symbolize() of bitcode/symbols.h.
extern "C" foretell::bitcode::Symbolize foretell_symbolize;
