// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef FORETELL_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace foretell {
namespace {

// oneTBB is not built with ThreadSanitizer, which therefore does not see how the library hands work
// to threads. So this file is not instrumented either (src/CMakeLists.txt), and tells it the two
// orders that the contract promises, and no more: accesses of two calls stay unordered.
struct Handover {
  void release() {
#ifdef FORETELL_TSAN
    __tsan_release(this);
#endif
  }
  void acquire() {
#ifdef FORETELL_TSAN
    __tsan_acquire(this);
#endif
  }
};

}  // namespace

void parallel_for(size_t count, size_t jobs, const std::function<void(size_t)>& body) {
  Handover begin, end;
  auto call = [&](size_t i) {
    begin.acquire();
    body(i);
    end.release();
  };
  begin.release();
  tbb::task_arena arena(jobs == 0 ? tbb::task_arena::automatic : static_cast<int>(jobs));
  arena.execute([&] { tbb::parallel_for(size_t{0}, count, call); });
  end.acquire();
}

}  // namespace foretell
