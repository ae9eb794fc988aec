// SPDX-License-Identifier: Apache-2.0

// Start and end of recording in a process.
#pragma once

namespace foretell::rt {

// Registers the calling thread as the first one and starts recording; from the library's
// constructor or the first registered module, whichever comes first. Does nothing if that was done.
void initialize();

// The process ends with this status, if nothing worse is known.
void note_end(int status);
// The process may end here: writes what watching has found until now.
void write_found();

}  // namespace foretell::rt
