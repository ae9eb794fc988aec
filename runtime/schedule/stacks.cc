// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/stacks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

#include "recording/stacks.h"
#include "runtime/platform/loaded_object.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"

namespace foretell::rt {
namespace {

constexpr size_t kMostFrames = 64;

// Of libgcc. Its types are opaque here: the runtime is built without its headers.
using OnFrame = int (*)(void* context, void* argument);
int (*unwind_)(OnFrame, void*) = nullptr;
uintptr_t (*address_in_)(void* context) = nullptr;

int file_ = -1;
const char* left_ = "";  // of the option
uint64_t next_ = 0;
LoadedObject runtime_;

void take_next() {
  next_ = 0;
  for (; *left_ >= '0' && *left_ <= '9'; left_++) {
    next_ = next_ * 10 + static_cast<uint64_t>(*left_ - '0');
  }
  if (*left_ == '.') left_++;
}

void write(const void* data, size_t size) {
  os::call(SYS_write, file_, os::word(data), static_cast<long>(size));
}

struct Stack {
  uintptr_t frames[kMostFrames];
  size_t count;
};

int add_frame(void* context, void* argument) {
  auto* stack = static_cast<Stack*>(argument);
  const uintptr_t address = address_in_(context);
  if (address == 0 || stack->count == kMostFrames) return 1;
  const bool is_ours = runtime_.contains(reinterpret_cast<const void*>(address));
  if (!is_ours) stack->frames[stack->count++] = address;
  return 0;
}

void write_frame(uintptr_t address) {
  struct Search {
    const void* address;
    uintptr_t base;
    const char* path;
  };
  Search search{reinterpret_cast<const void*>(address), 0, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* result) {
        auto* search = static_cast<Search*>(result);
        if (!extent_of(*object).contains(search->address)) return 0;
        search->base = object->dlpi_addr;
        search->path = object->dlpi_name;
        return 1;
      },
      &search);
  const recording::FrameHeader frame{address - search.base, os::length(search.path)};
  write(&frame, sizeof frame);
  write(search.path, frame.path_size);
}

}  // namespace

void start_stacks() {
  next_ = 0;
  if (!*options.stacks) return;
  void* library = dlopen("libgcc_s.so.1", RTLD_NOW);
  if (!library) return os::complain("no call stacks: libgcc_s.so.1 cannot be loaded");
  unwind_ = reinterpret_cast<decltype(unwind_)>(dlsym(library, "_Unwind_Backtrace"));
  address_in_ = reinterpret_cast<decltype(address_in_)>(dlsym(library, "_Unwind_GetIP"));
  runtime_ = loaded_object_around(reinterpret_cast<const void*>(&start_stacks));
  // The file is the first process's. A child that comes late must not empty it.
  file_ = static_cast<int>(os::call(SYS_openat, AT_FDCWD, os::word(options.stacks),
                                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!unwind_ || !address_in_ || file_ < 0) return;
  left_ = options.stack_steps;
  take_next();
}

uint64_t next_stack() {
  return next_;
}

void write_stack(uint64_t step) {
  if (step != next_) return;
  Stack stack{};
  unwind_(add_frame, &stack);
  const recording::StackHeader header{step, stack.count};
  write(&header, sizeof header);
  for (size_t i = 0; i < stack.count; i++) write_frame(stack.frames[i]);
  take_next();
}

}  // namespace foretell::rt
