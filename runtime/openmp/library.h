// OpenMP's library in a recorded program.
#pragma once

#include "../loaded_object.h"

namespace foretell::rt::openmp {

// Its code, once it has asked for a tool. What it allocates and copies is its own affair, and is
// not the same in every run: it depends on files that other processes left.
extern LoadedObject library;

// It announces the process by a file, which it removes at exit. Before an end without that.
void remove_announcement();

}  // namespace foretell::rt::openmp
