// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/loaded_object.h"

#include <dlfcn.h>
#include <link.h>

namespace foretell::rt {

LoadedObject extent_of(const dl_phdr_info& object) {
  LoadedObject whole{~uintptr_t{0}, 0};
  for (int i = 0; i < object.dlpi_phnum; i++) {
    if (object.dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = object.dlpi_addr + object.dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + object.dlpi_phdr[i].p_memsz;
    if (begin < whole.begin) whole.begin = begin;
    if (end > whole.end) whole.end = end;
  }
  return whole;
}

LoadedObject loaded_object_around(const void* address) {
  struct Search {
    const void* address;
    LoadedObject found;
  };
  const auto at = reinterpret_cast<uintptr_t>(address);
  Search search{address, {at, at}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* result) {
        auto* search = static_cast<Search*>(result);
        const LoadedObject whole = extent_of(*object);
        if (!whole.contains(search->address)) return 0;
        search->found = whole;
        return 1;
      },
      &search);
  return search.found;
}

LoadedObject code_of(const char* function) {
  const void* begin = dlsym(RTLD_NEXT, function);
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  void** const result = reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol));
  if (!begin || !dladdr1(begin, &info, result, RTLD_DL_SYMENT) || !symbol) return {};
  const auto at = reinterpret_cast<uintptr_t>(begin);
  return {at, at + symbol->st_size};
}

}  // namespace foretell::rt
