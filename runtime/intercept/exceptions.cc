// SPDX-License-Identifier: Apache-2.0

// The reference counts of exceptions.
//
// An exception that threads share through std::exception_ptr is deleted by whoever lets go of it
// last. The counting is done inside libstdc++, where nobody sees it; so letting go is an atomic
// to the trace. It is one for all exceptions: which one a catch ends is libstdc++'s secret.
#include "runtime/intercept/call.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/atomic_order.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

char counts_;

void let_go(const Call& call) {
  before_step(call.thread);
  const AtomicOrder order(&counts_);
  put(call.thread, Op::AtomicRmw, call.site, &counts_, kAcquireReleaseByte, 0, 0);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT void __cxa_end_catch() {
  {
    const Call call(__builtin_return_address(0));
    if (!real.__cxa_end_catch) resolve_cxx_functions();
    if (call) let_go(call);
  }
  // The exception's destructor is code of the program.
  real.__cxa_end_catch();
}

FORETELL_INTERCEPT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void* pointer) {
  {
    const Call call(__builtin_return_address(0));
    if (!real._ZNSt15__exception_ptr13exception_ptr10_M_releaseEv) resolve_cxx_functions();
    if (call) let_go(call);
  }
  real._ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pointer);
}
