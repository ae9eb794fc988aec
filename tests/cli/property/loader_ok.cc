// SPDX-License-Identifier: Apache-2.0

// Put right: what is decided and what follows from it is one critical section.
#include "loader.h"

const char* find_class() {
  std::lock_guard guard(lock);
  const char* known = entry.loaded_class;
  if (known != nullptr) return known;
  define_package("package", entry.manifest);
  finish_loading();
  return entry.loaded_class;
}

int main() {
  std::thread first(find_class);
  std::thread second(find_class);
  first.join();
  second.join();
}
