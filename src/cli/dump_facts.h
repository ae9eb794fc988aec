// SPDX-License-Identifier: Apache-2.0

// foretell dump --facts: facts about a program, from its bitcode or from a file of facts.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "bitcode/fact_options.h"

namespace foretell::cli {

// `to` is text, json or facts; empty means text. "-" is standard output.
Result<void> dump_facts(const std::string& path, const std::string& to, const std::string& output,
                        const bitcode::FactOptions& options);

}  // namespace foretell::cli
