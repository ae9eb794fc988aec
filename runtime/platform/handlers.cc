// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/handlers.h"

#include "runtime/platform/os.h"

// The linker defines these for a section whose name is an identifier.
#define FORETELL_SECTION(name)                                                                   \
  extern "C" __attribute__((visibility("hidden"))) const foretell::rt::Handler __start_##name[]; \
  extern "C" __attribute__((visibility("hidden"))) const foretell::rt::Handler __stop_##name[]
FORETELL_SECTION(foretell_fork);
FORETELL_SECTION(foretell_sudden_end);
#undef FORETELL_SECTION

namespace foretell::rt {
namespace {

void run(const Handler* begin, const Handler* end) {
  for (const Handler* handler = begin; handler != end; handler++) (*handler)();
}

}  // namespace

void run_fork_handlers() {
  run(__start_foretell_fork, __stop_foretell_fork);
}

void end_suddenly(ExitStatus status) {
  run(__start_foretell_sudden_end, __stop_foretell_sudden_end);
  os::exit_process(status);
}

}  // namespace foretell::rt
