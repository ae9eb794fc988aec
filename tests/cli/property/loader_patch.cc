// SPDX-License-Identifier: Apache-2.0

// Figure 13, the wrong patch: the check is locked, but the class was looked at before.
#include "loader.h"

const char* find_class() {
  const char* known = entry.loaded_class;
  if (known != nullptr) return known;
  {
    std::lock_guard guard(lock);
    if (entry.binary_content == nullptr && entry.loaded_class == nullptr) return nullptr;
  }
  define_package("package", entry.manifest);
  std::lock_guard guard(lock);
  finish_loading();
  return entry.loaded_class;
}

int main() {
  std::thread first(find_class);
  std::thread second(find_class);
  first.join();
  second.join();
}
