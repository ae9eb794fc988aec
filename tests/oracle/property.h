// SPDX-License-Identifier: Apache-2.0

// Checks a property on many random traces; a trace that fails is shrunk and written down.
//
// Everything is determined by the seed: trace i of a property is always the same one.
//   FORETELL_ORACLE_TRACES=N  how many traces each property sees
//   FORETELL_ORACLE_SEED=N    which ones (default 1)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "trace_generator.h"

namespace foretell::oracle {

// What is wrong with a trace; empty if nothing is. The dice are the same each time it is asked
// about the same trace number.
using Property = std::function<std::string(const trace::Trace& normal, Dice& dice)>;

struct Trials {
  size_t traces = 1000;
  size_t most_events = 16;  // normalized; longer traces are passed over
};

// Reports a failure to GoogleTest: the smallest trace found, why it fails, and the file (in the
// working directory) it was written to. `name` is part of that file's name.
void expect_property(std::string_view name, const Profile& profile, Trials trials,
                     const Property& property);

// The trace of a seed and a number, for tests of the generator itself.
Events nth_trace(const Profile& profile, uint64_t number);
size_t trace_count(size_t by_default);

}  // namespace foretell::oracle
