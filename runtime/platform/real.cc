// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/real.h"

#include <dlfcn.h>

namespace foretell::rt {

RealFunctions real;

namespace {

template <class Function>
void resolve(Function& function, const char* name, const char* version) {
  void* found = *version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (!found) found = dlsym(RTLD_NEXT, name);
  function = reinterpret_cast<Function>(found);
}

}  // namespace

void resolve_cxx_functions() {
  void* library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
#define FORETELL_CXX(name) real.name = reinterpret_cast<decltype(real.name)>(dlsym(library, #name))
  FORETELL_CXX(__cxa_guard_acquire);
  FORETELL_CXX(__cxa_guard_release);
  FORETELL_CXX(__cxa_guard_abort);
  FORETELL_CXX(__cxa_end_catch);
  FORETELL_CXX(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv);
  FORETELL_CXX(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_);
  FORETELL_CXX(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_);
  FORETELL_CXX(_ZNSt8__detail15_List_node_base7_M_hookEPS0_);
  FORETELL_CXX(_ZNSt8__detail15_List_node_base9_M_unhookEv);
#undef FORETELL_CXX
}

void resolve_openmp_functions() {
  static const char* const kNames[] = {"libomp.so.5", "libomp.so", "libiomp5.so", "libgomp.so.1"};
  for (const char* name : kNames) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    void* found = library ? dlsym(library, "__kmpc_omp_task_alloc") : nullptr;
    if (!found) continue;
    real.__kmpc_omp_task_alloc = reinterpret_cast<decltype(real.__kmpc_omp_task_alloc)>(found);
    return;
  }
}

void resolve_real_functions() {
#define FORETELL_REAL(name, result, parameters, version) resolve(real.name, #name, version);
#include "runtime/platform/real.def"
}

}  // namespace foretell::rt
