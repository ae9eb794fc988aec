#include "real.h"

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

void resolve_real_functions() {
#define FORETELL_REAL(name, result, parameters, version) resolve(real.name, #name, version);
#include "real.def"
}

}  // namespace foretell::rt
