// SPDX-License-Identifier: Apache-2.0

// Allocation. Everything that comes from malloc's family or from mmap is a life of its memory, from
// Alloc to Free; operator new and functions like strdup call malloc and need nothing of their own.
//
// malloc is called before anything else works, so nothing here initializes the runtime: until
// recording is on, calls go straight through. Finding the real functions may itself allocate; that
// little comes from a buffer of our own and is never freed.
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "runtime/intercept/attach.h"
#include "runtime/intercept/call.h"
#include "runtime/intercept/quarantine.h"
#include "runtime/intercept/sanitizers.h"
#include "runtime/platform/os.h"
#include "runtime/platform/program_objects.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"
#include "runtime/threads/return_sites.h"

// AddressSanitizer, LeakSanitizer and MemorySanitizer have it.
extern "C" __attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void*, size_t), void (*on_free)(const volatile void*));

namespace foretell::rt {
namespace {

constexpr size_t kBootstrapSize = 1 << 14;
alignas(16) char bootstrap_[kBootstrapSize];
size_t bootstrap_used_ = 0;

void* bootstrap(size_t size) {
  size = (size + 15) & ~size_t{15};
  const size_t at = __atomic_fetch_add(&bootstrap_used_, size, __ATOMIC_RELAXED);
  if (at + size > kBootstrapSize) {
    os::complain("libc allocates too much before it can be called");
    os::exit_process(ExitStatus::internal_error);
  }
  return bootstrap_ + at;
}

bool is_bootstrap(const void* memory) {
  return memory >= bootstrap_ && memory < bootstrap_ + kBootstrapSize;
}

// The real functions are there, or are being looked for right now by this very thread.
bool can_call() {
  if (real.malloc && real.free && real.calloc && real.realloc) return true;
  static bool resolving = false;
  if (resolving) return false;
  resolving = true;
  resolve_real_functions();
  resolving = false;
  return true;
}

bool is_of_interest(const void* caller) {
  return !unrecorded_library.contains(caller) && !stream_buffers.contains(caller) &&
         (!initializes_library || initializes_library != self());
}

// The calling thread, if what it allocates is to be recorded.
Thread* recording_thread(const void* caller) {
  if (!is_of_interest(caller)) return nullptr;
  Thread* thread = active ? self() : nullptr;
  return thread && !thread->inside ? thread : nullptr;
}

// For steps that are taken at once, without a Call.
uint32_t site_of_caller(void* caller) {
  const uint32_t site = __foretell_thread.call_site;
  __foretell_thread.call_site = 0;
  return site == 0 && thread_sanitizer_objects ? site_of_return(attached_thread, caller) : site;
}

class Step : public Call {
 public:
  explicit Step(void* caller) : Call(caller) {
    if (thread) before_step(thread, false);
  }
  void* allocated(void* memory, size_t size) {
    if (memory) put(thread, Op::Alloc, site, memory, size);
    return memory;
  }
  void freed(void* memory) { put(thread, Op::Free, site, memory); }
};

template <class Allocate>
void* allocate(void* caller, size_t size, Allocate allocate_really) {
  if (may_step_at_once() && is_of_interest(caller)) {
    void* memory = allocate_really();
    if (memory) put_at_once(Op::Alloc, site_of_caller(caller), memory, size);
    return memory;
  }
  if (!recording_thread(caller)) return allocate_really();
  Step step(caller);
  return step.allocated(allocate_really(), size);
}

// After the step was taken.
void free_really(void* memory) {
  const bool is_double = mode == Mode::controlled && give_back(memory);
  if (mode == Mode::controlled && !is_double && keep_back(memory)) return;
  real.free(memory);
}

// Moves the block where that is cheap: an access by the old pointer then falls into the old block.
void* reallocate_elsewhere(void* old, size_t old_size, size_t size) {
  void* memory = real.malloc(size);
  if (!memory) return nullptr;
  os::copy(memory, old, old_size < size ? old_size : size);
  free_really(old);
  return memory;
}

template <class Reallocate>
void* reallocate(void* caller, void* old, size_t size, Reallocate reallocate_really) {
  if (!recording_thread(caller)) return reallocate_really();
  if (old) {
    Step step(caller);
    step.freed(old);
  }
  Step step(caller);
  const size_t old_size = old ? real.malloc_usable_size(old) : 0;
  constexpr size_t kCheapToMove = 1 << 12;
  const bool moves = mode == Mode::controlled && old && size != 0 && old_size <= kCheapToMove;
  void* memory = moves ? reallocate_elsewhere(old, old_size, size) : reallocate_really();
  if (memory) return step.allocated(memory, size);
  // It failed, and the old memory lives on; or its size was 0, and it does not.
  if (old && size != 0) step.allocated(old, old_size);
  return nullptr;
}

// The allocator of a sanitizer in the program takes calls before ours can; it has these called.
void sanitizer_allocated(const volatile void* memory, size_t size) {
  if (!memory) return;
  allocate(__builtin_return_address(0), size, [=] { return const_cast<void*>(memory); });
}

void sanitizer_frees(const volatile void* memory) {
  if (!memory || !recording_thread(__builtin_return_address(0))) return;
  Step step(__builtin_return_address(0));
  step.freed(const_cast<void*>(memory));
}

}  // namespace

void listen_to_allocator() {
  if (!__sanitizer_install_malloc_and_free_hooks) return;
  __sanitizer_install_malloc_and_free_hooks(sanitizer_allocated, sanitizer_frees);
}

}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT void* malloc(size_t size) {
  if (!can_call()) return bootstrap(size);
  return allocate(__builtin_return_address(0), size, [=] { return real.malloc(size); });
}

FORETELL_INTERCEPT void* calloc(size_t count, size_t size) {
  // Fresh memory of the program's image is zero.
  if (!can_call()) return bootstrap(count * size);
  return allocate(__builtin_return_address(0), count * size,
                  [=] { return real.calloc(count, size); });
}

FORETELL_INTERCEPT void* realloc(void* old, size_t size) {
  if (is_bootstrap(old) || !can_call()) {
    void* memory = malloc(size);
    const size_t room = static_cast<size_t>(bootstrap_ + kBootstrapSize - static_cast<char*>(old));
    if (memory && old) os::copy(memory, old, size < room ? size : room);
    return memory;
  }
  return reallocate(__builtin_return_address(0), old, size,
                    [=] { return real.realloc(old, size); });
}

FORETELL_INTERCEPT void* reallocarray(void* old, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(old, bytes);
}

FORETELL_INTERCEPT void free(void* memory) {
  if (!memory || is_bootstrap(memory) || !can_call()) return;
  void* caller = __builtin_return_address(0);
  if (may_step_at_once() && is_of_interest(caller)) {
    put_at_once(Op::Free, site_of_caller(caller), memory, 0);
    return free_really(memory);
  }
  if (recording_thread(caller)) {
    Step step(caller);
    step.freed(memory);
    return free_really(memory);
  }
  real.free(memory);
}

FORETELL_INTERCEPT void* aligned_alloc(size_t alignment, size_t size) {
  if (!can_call()) return bootstrap(size);
  return allocate(__builtin_return_address(0), size,
                  [=] { return real.aligned_alloc(alignment, size); });
}

FORETELL_INTERCEPT void* memalign(size_t alignment, size_t size) {
  if (!can_call()) return bootstrap(size);
  return allocate(__builtin_return_address(0), size,
                  [=] { return real.memalign(alignment, size); });
}

FORETELL_INTERCEPT int posix_memalign(void** result, size_t alignment, size_t size) {
  if (!can_call()) {
    *result = bootstrap(size);
    return 0;
  }
  int error = 0;
  void* memory = nullptr;
  allocate(__builtin_return_address(0), size, [&] {
    error = real.posix_memalign(&memory, alignment, size);
    return error == 0 ? memory : nullptr;
  });
  if (error == 0) *result = memory;
  return error;
}

FORETELL_INTERCEPT void* valloc(size_t size) {
  if (!can_call()) return bootstrap(size);
  return allocate(__builtin_return_address(0), size, [=] { return real.valloc(size); });
}

FORETELL_INTERCEPT void* pvalloc(size_t size) {
  if (!can_call()) return bootstrap(size);
  return allocate(__builtin_return_address(0), size, [=] { return real.pvalloc(size); });
}

FORETELL_INTERCEPT void* mmap(void* wish, size_t size, int protection, int flags, int fd,
                              off_t offset) {
  const auto map = [=] {
    if (real.mmap) return real.mmap(wish, size, protection, flags, fd, offset);
    const long result =
        os::call(SYS_mmap, os::word(wish), static_cast<long>(size), protection, flags, fd, offset);
    if (result < 0 && result > -4096) {
      errno = static_cast<int>(-result);
      return MAP_FAILED;
    }
    return reinterpret_cast<void*>(result);
  };
  if (!recording_thread(__builtin_return_address(0))) return map();
  Step step(__builtin_return_address(0));
  void* memory = map();
  if (memory != MAP_FAILED) step.allocated(memory, size);
  return memory;
}

FORETELL_INTERCEPT void* mmap64(void* wish, size_t size, int protection, int flags, int fd,
                                off_t offset) {
  return mmap(wish, size, protection, flags, fd, offset);
}

FORETELL_INTERCEPT int munmap(void* memory, size_t size) {
  const auto unmap = [=] {
    if (real.munmap) return real.munmap(memory, size);
    const long result = os::call(SYS_munmap, os::word(memory), static_cast<long>(size));
    if (result < 0) errno = static_cast<int>(-result);
    return result < 0 ? -1 : 0;
  };
  if (!recording_thread(__builtin_return_address(0))) return unmap();
  Step step(__builtin_return_address(0));
  step.freed(memory);
  return unmap();
}

FORETELL_INTERCEPT void* mremap(void* old, size_t old_size, size_t size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void* wish = flags & MREMAP_FIXED ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  if (!real.mremap) resolve_real_functions();
  if (!recording_thread(__builtin_return_address(0)))
    return real.mremap(old, old_size, size, flags, wish);
  {
    Step step(__builtin_return_address(0));
    step.freed(old);
  }
  Step step(__builtin_return_address(0));
  void* memory = real.mremap(old, old_size, size, flags, wish);
  if (memory == MAP_FAILED) {
    step.allocated(old, old_size);
  } else {
    step.allocated(memory, size);
  }
  return memory;
}
