// SPDX-License-Identifier: Apache-2.0

// A class loader's cache in the manner of SLICED's figures 12 and 13. An entry has either its binary
// content or, once it is loaded, its class; the loader drops the content when it sets the class.
#include <mutex>
#include <thread>

struct Entry {
  const char* binary_content = "bytes";
  const char* loaded_class = nullptr;
  const char* manifest = "manifest";
};

Entry entry;
std::mutex lock;

// Needs all three; another overload of the document's allows null.
__attribute__((noinline)) void define_package(const char* name, const char* manifest) {
  (void)name;
  (void)manifest;
}

__attribute__((noinline)) inline void finish_loading() {
  entry.loaded_class = "class";
  entry.binary_content = nullptr;
  entry.manifest = nullptr;
}
