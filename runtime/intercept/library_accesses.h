// SPDX-License-Identifier: Apache-2.0

// What a library function that instrumented code calls reads and writes, as steps at the place of
// the call.
#pragma once

#include "runtime/intercept/call.h"
#include "runtime/intercept/sanitizers.h"
#include "runtime/platform/program_objects.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

// Instrumented code says where it calls from, so a call without a place is from a library's inside.
// Objects compiled for the second front end say nothing, there all calls count.
inline bool of_interest() {
  return __foretell_thread.call_site != 0 || thread_sanitizer_objects;
}

class LibraryAccesses {
 public:
  explicit LibraryAccesses(void* caller) : caller_(caller), site_(__foretell_thread.call_site) {
    __foretell_thread.call_site = 0;
  }
  LibraryAccesses(const LibraryAccesses&) = delete;
  LibraryAccesses& operator=(const LibraryAccesses&) = delete;

  void read(const void* at, size_t size) { step(Op::ReadRange, at, size); }
  void write(const void* at, size_t size) { step(Op::WriteRange, at, size); }

 private:
  void step(Op op, const void* at, size_t size) {
    if (size == 0 || shadow.has(at) || unrecorded_library.contains(caller_)) return;
    if (site_ != 0 && may_access_at_once()) return put_at_once(op, site_, at, size);
    __foretell_thread.call_site = site_;
    Call call(caller_);
    if (!call) {
      __foretell_thread.call_site = 0;
      return;
    }
    if (call.thread->ignoring) {
      header->skipped_ignored++;
      return;
    }
    if (!is_wanted(call.thread, op, at, size)) return;
    before_step(call.thread, false);
    put(call.thread, op, call.site, at, size);
  }

  void* caller_;
  uint32_t site_;
};

}  // namespace foretell::rt
