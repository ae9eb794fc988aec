// SPDX-License-Identifier: Apache-2.0

// Sites: the numbers of places in the program, and the tables in the recording that describe them.
#pragma once

#include <stdint.h>

#include "recording/module.h"

namespace foretell::rt {

// Gives the sites of an object file their numbers and copies its tables into the recording. Ends
// the process with a message if there are too many sites.
void register_sites(const recording::Module* module);

// Site whose expression is `text`, for names that are known only at run time.
uint32_t site_of_text(const char* text);
// Numbers for sites that are described otherwise, or kNoSite.
uint32_t new_sites(uint32_t count);
// An executable or library whose code PcSite records name, by the number of calls before.
void register_binary(const char* path);

}  // namespace foretell::rt
