// SPDX-License-Identifier: Apache-2.0

// What a person is told whose command line cannot be understood.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::cli {

// Numbers that count something are not negative: "--replays=-1" is an error. For all commands.
void refuse_negative_numbers(CLI::App& app);

// `words` are the arguments, without the program after "--".
Diagnostic explain_usage(const CLI::App& app, const CLI::ParseError& error,
                         const std::vector<std::string>& words);

}  // namespace foretell::cli
