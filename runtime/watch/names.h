// SPDX-License-Identifier: Apache-2.0

// Names of memory that is the same in every run, with the parts of it that are contended; and the
// file that holds them (recording/contended.h).
#pragma once

#include "runtime/watch/stretches.h"

namespace foretell::rt::watch {

enum class NameKind : uint8_t { global, heap, stack, tls };

struct Names {
  NameKind kind = NameKind::global;
  uint64_t key = 0;        // heap: the key; stack: the thread
  const char* path = "";   // global
  Stretches known = {};    // recorded from the beginning
  Stretches found = {};    // in this run
  Names* next = nullptr;   // of the same hash
  Names* older = nullptr;  // all of them
};

// Made if there are none; null if there is no memory.
Names* find_names(NameKind kind, uint64_t key, const char* path);
bool has_known(NameKind kind);

// Reads those that are known; none if `path` is empty. Ends the process with a message if the file
// is damaged: a misunderstood name must not look like a clean run.
void load_names(const char* path);
struct Summary {
  uint64_t found = 0;    // granules
  uint64_t unnamed = 0;  // of these, without a name
  bool gave_up = false;
  bool finished = false;
};
void write_found(const char* path, const Summary& summary);
void forget_found();

}  // namespace foretell::rt::watch
