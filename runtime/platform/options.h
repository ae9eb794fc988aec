// SPDX-License-Identifier: Apache-2.0

// The options of the runtime, from the environment variable FORETELL_OPTIONS.
#pragma once

#include <stdint.h>

#include "recording/words.h"

namespace foretell::rt {

struct Options {
#define FORETELL_OPTION_TEXT(name, fallback, text) const char* name = fallback;
#define FORETELL_OPTION_NUMBER(name, fallback, text) uint64_t name = fallback;
#define FORETELL_OPTION_CHOICE(name, type, fallback, text) \
  recording::type name = recording::type::fallback;
#include "recording/options.def"
};

extern Options options;

// Parses "key=value:key=value"; %XX stands for any byte. Ends the process with 64 and a message if
// a key or value is not known: a misspelt option must not look like a clean run.
void parse_options(const char* text);

}  // namespace foretell::rt
