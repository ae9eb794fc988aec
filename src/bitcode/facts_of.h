// SPDX-License-Identifier: Apache-2.0

// Facts about a program, from the bitcode that `foretell cc` kept in it.
//
// This header is free of LLVM: it is what other rooms include.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "bitcode/fact_options.h"
#include "program/facts.h"

namespace foretell::bitcode {

// Of a linked program, a shared library or an object file.
Result<program::Facts> facts_of_binary(std::string_view bytes, const std::string& path,
                                       const FactOptions& options = {});

// Of LLVM's own bitcode or assembly, which has no sites. Taken as the whole program.
Result<program::Facts> facts_of_ir(std::string_view bytes, const std::string& path,
                                   const FactOptions& options = {});

// Whichever the file is.
Result<program::Facts> facts_of_file(const std::string& path, const FactOptions& options = {});

}  // namespace foretell::bitcode
