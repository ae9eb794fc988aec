// SPDX-License-Identifier: Apache-2.0

// Site tables: every object file registers its own (contract: recording/hooks.h).
#include "recording/hooks.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/record/recorder.h"
#include "runtime/record/site_tables.h"
#include "runtime/watch/places.h"
#include "runtime/watch/watcher.h"

extern "C" void __foretell_register(const foretell::recording::Module* module) {
  using namespace foretell::rt;
  initialize();
  if (!active || *module->site_bits != 0) return;
  if (module->abi != foretell::recording::kAbi) {
    os::complain("an object file was compiled by another version of Foretell; rebuild it: ",
                 module->strings + module->name);
    return;
  }
  add_instrumented_object(module);
  register_sites(module);
  if (watch::watching_on) watch::note_images();
}
