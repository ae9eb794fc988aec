// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/body.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "recording/file.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/record/recorder.h"

namespace foretell::rt {
namespace body {

using recording::kHeaderSize;

os::Lock lock;

namespace {

const char* path_ = nullptr;
bool stopped_ = false;
const char* reason_ = nullptr;  // why, until it has been told
uint64_t reserved_end_ = 0;     // disk space is reserved up to here

}  // namespace

void set_path(const char* path) {
  path_ = path;
}

const char* path() {
  return path_;
}

bool failed(long result) {
  return result < 0 && result > -4096;
}

const char* reason_of(long result) {
  switch (-result) {
    case ENOSPC:
    case EDQUOT:
      return "no space left on the device";
    case EFBIG:
      return "the file would become larger than allowed";
    case EACCES:
      return "permission denied";
    case ENOENT:
      return "no such file or directory";
    case EEXIST:
      return "it exists already";
    case EROFS:
      return "the file system is read-only";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    case ENOMEM:
      return "out of memory";
    default:
      return "an input/output error";
  }
}

// The keeper has no standard error, so threads of the program say it.
void report_stop() {
  const char* reason = __atomic_exchange_n(&reason_, nullptr, __ATOMIC_ACQ_REL);
  if (reason && !options.short_limit)
    os::complain("recording stops here; the program continues: ", reason);
}

void stop_recording(long result) {
  if (stopped_) return;
  const char* reason = reason_of(result);
  reason_ = reason;
  stopped_ = true;
  const size_t size = os::length(reason);
  os::copy(header->error, reason, size < sizeof header->error ? size : sizeof header->error - 1);
}

bool is_stopped() {
  return stopped_;
}

long open_file() {
  return os::call(SYS_open, os::word(path_), O_RDWR | O_CLOEXEC);
}

bool is_too_large(uint64_t size) {
  if (options.short_limit && size > options.short_limit) return true;
  return options.size_limit && size > options.size_limit;
}

long map_part(uint64_t offset, size_t size) {
  const long fd = open_file();
  if (failed(fd)) return fd;
  long result = os::call(SYS_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(size));
  // A file system without fallocate: extend, and trust that there is space.
  if (result == -EOPNOTSUPP) {
    result = os::call(SYS_ftruncate, fd, static_cast<long>(offset + size));
  }
  if (!failed(result)) {
    result = os::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      static_cast<long>(offset));
  }
  os::call(SYS_close, fd);
  return result;
}

namespace {

// Space for what will be appended is reserved in steps that double: the file system then does the
// work of finding it once for many chunks. Where it cannot, appending says so.
void reserve(long fd, uint64_t end) {
  constexpr uint64_t kFirstStep = 1 << 20;
  constexpr uint64_t kLargestStep = 64 << 20;
  constexpr long kKeepSize = 1;
  if (end <= reserved_end_ || options.short_run) return;
  uint64_t step = end - kHeaderSize;
  step = step < kFirstStep ? kFirstStep : step > kLargestStep ? kLargestStep : step;
  os::call(SYS_fallocate, fd, kKeepSize, static_cast<long>(header->body_end),
           static_cast<long>(end + step - header->body_end));
  reserved_end_ = end + step;
}

// A write that wrote less than it was given does not say why; one behind it does.
long why_short(uint64_t offset) {
  const char nothing = 0;
  const long fd = open_file();
  if (failed(fd)) return fd;
  const long written = os::call(SYS_pwrite64, fd, os::word(&nothing), 1, static_cast<long>(offset));
  os::call(SYS_close, fd);
  return failed(written) ? written : -ENOSPC;
}

}  // namespace

void append(iovec* pieces, int count, uint64_t size, uint64_t offset, long descriptor) {
  if (stopped_) return;
  if (is_too_large(offset + size)) {
    stop_recording(-EFBIG);
    return;
  }
  const long fd = descriptor < 0 ? open_file() : descriptor;
  long written = fd;
  if (!failed(fd)) {
    reserve(fd, offset + size);
    written = os::call(SYS_pwritev, fd, os::word(pieces), count, static_cast<long>(offset), 0);
    if (descriptor < 0) os::call(SYS_close, fd);
  }
  if (written != static_cast<long>(size)) {
    stop_recording(failed(written) ? written : why_short(offset + size - 1));
    return;
  }
  header->body_end = offset + size;
}

namespace {

void forget_body() {
  stopped_ = false;
  reserved_end_ = 0;
  lock = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_body);

}  // namespace
}  // namespace body

void release_reserve() {
  body::report_stop();
  os::Guard guard(body::lock);
  if (body::reserved_end_ <= header->body_end) return;
  const long fd = body::open_file();
  if (body::failed(fd)) return;
  os::call(SYS_ftruncate, fd, static_cast<long>(header->body_end));
  os::call(SYS_close, fd);
  body::reserved_end_ = 0;
}

}  // namespace foretell::rt
