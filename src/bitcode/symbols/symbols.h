// SPDX-License-Identifier: Apache-2.0

// From addresses in programs and libraries to functions and lines, inlined calls included.
//
// A library of its own, lib/foretell/foretell_symbols.so, into which the parts of LLVM that it needs are linked: a run
// with findings needs it, and loading all of LLVM takes longer than all else that a short run does.
#pragma once

#include <vector>

#include "program/code_place.h"

namespace foretell::bitcode {

// For each address its places, the innermost inlined call first; at least one.
std::vector<std::vector<program::CodePlace>> symbolize(
    const std::vector<program::CodeAddress>& addresses);

using Symbolize = void(const std::vector<program::CodeAddress>& addresses,
                       std::vector<std::vector<program::CodePlace>>& places);
inline constexpr char kSymbolize[] = "foretell_symbolize";

}  // namespace foretell::bitcode

// symbolize(), under a name that can be looked up.
extern "C" foretell::bitcode::Symbolize foretell_symbolize;
