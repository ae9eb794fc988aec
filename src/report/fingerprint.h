// SPDX-License-Identifier: Apache-2.0

// Fingerprints: they identify a finding as the same error as one of an earlier build.
//
// A hash over the rule and, for each event, what it does, the function, the text of the source line
// and the variable as the source writes it. No address, no line number, no thread and no order of
// events goes in, so a fingerprint survives a rebuild, another run, another machine, and edits
// anywhere but in the lines and functions concerned. Names in which a compiler hides positions
// ("(lambda at a.cc:23:17)", "$_0") lose them first.
//
// Two findings of one report with equal parts are distinguished by a number, in the order of their
// lines.
#pragma once

#include <string>
#include <string_view>

#include "finding/result.h"

namespace foretell::report {

// The version of the recipe; part of the key in SARIF and of baselines.
inline constexpr std::string_view kFingerprintVersion = "foretell/v1";

// Fills Finding::fingerprint, also of what was dismissed. Reads the sources the findings are in;
// where one is missing, the line's text is left out.
void add_fingerprints(finding::AnalysisResult& result);

// "std::thread::_Invoker<(lambda)>" of the same with "(lambda at a.cc:23:17)".
std::string without_positions(std::string_view function);

}  // namespace foretell::report
