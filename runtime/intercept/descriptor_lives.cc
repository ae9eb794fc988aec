// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/descriptor_lives.h"

#include <fcntl.h>

#include "runtime/intercept/descriptors.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

constexpr int kFirst = 3;  // after the standard streams
constexpr int kEnd = recording::kDescriptors;

bool closed_[kEnd];  // and not used since

// One thread at a time: nobody else opens or closes between the question and the step.
bool is_recorded(const Call& call, int fd) {
  return mode == Mode::controlled && !records_contended_only() && fd >= kFirst && fd < kEnd &&
         records_ranges(call);
}

const void* place_of(int fd) {
  return reinterpret_cast<const void*>(recording::descriptor_address(fd));
}

bool is_open(int fd) {
  return os::call(SYS_fcntl, fd, F_GETFD) >= 0;
}

void step(const Call& call, Op op, int fd, uint64_t value) {
  before_step(call.thread, false);
  put(call.thread, op, call.site, place_of(fd), value);
}

// What is open after it was closed has been given out again.
void begin_life(const Call& call, int fd) {
  if (!closed_[fd] || !is_open(fd)) return;
  closed_[fd] = false;
  step(call, Op::Alloc, fd, 1);
}

}  // namespace

void use_descriptor(const Call& call, int fd) {
  if (!is_recorded(call, fd)) return;
  begin_life(call, fd);
  step(call, Op::ReadRange, fd, 1);
}

void close_descriptor(const Call& call, int fd) {
  if (!is_recorded(call, fd)) return;
  begin_life(call, fd);
  before_step(call.thread, false);
  // Who closes it again uses what is gone.
  const bool again = closed_[fd] && !is_open(fd);
  put(call.thread, again ? Op::ReadRange : Op::Free, call.site, place_of(fd), again ? 1 : 0);
  closed_[fd] = true;
}

}  // namespace foretell::rt
