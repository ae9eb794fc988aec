// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/description.h"

#include <fcntl.h>

#include "runtime/platform/os.h"

namespace foretell::rt {
namespace {

constexpr size_t kLargestField = 4 << 20;  // the kernel's own limit for arguments and environment
constexpr int kMostAncestors = 64;

void append(char*& at, const char* text) {
  const size_t size = os::length(text);
  os::copy(at, text, size);
  at += size;
  *at = 0;
}

void append(char*& at, uint64_t number) {
  char digits[24];
  size_t n = 0;
  do digits[n++] = static_cast<char>('0' + number % 10);
  while (number /= 10);
  while (n > 0) *at++ = digits[--n];
  *at = 0;
}

class Description {
 public:
  Description(const char* path, char* buffer) : buffer_(buffer) {
    file_ = os::call(SYS_open, os::word(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  ~Description() {
    if (file_ >= 0) os::call(SYS_close, file_);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  bool open() const { return file_ >= 0; }

  void put(const char* name, const char* bytes, size_t size) {
    char line[64];
    char* at = line;
    append(at, name);
    append(at, " ");
    append(at, uint64_t{size});
    append(at, "\n");
    write(line, static_cast<size_t>(at - line));
    write(bytes, size);
    write("\n", 1);
  }

  // /proc/PID/NAME: what it holds. Returns its size; it stays in the buffer.
  size_t put_file(uint32_t pid, const char* name) {
    size_t size = 0;
    const long from = os::call(SYS_open, os::word(path_of(pid, name)), O_RDONLY | O_CLOEXEC);
    while (from >= 0 && size < kLargestField) {
      const long got = os::call(SYS_read, from, os::word(buffer_ + size),
                                static_cast<long>(kLargestField - size));
      if (got <= 0) break;
      size += static_cast<size_t>(got);
    }
    if (from >= 0) os::call(SYS_close, from);
    put(name, buffer_, size);
    return size;
  }

  // /proc/PID/NAME: what it points at.
  void put_link(uint32_t pid, const char* name, const char* link) {
    const long size =
        os::call(SYS_readlink, os::word(path_of(pid, link)), os::word(buffer_), kLargestField);
    put(name, buffer_, size < 0 ? 0 : static_cast<size_t>(size));
  }

  // Returns the parent; 0 if there is none to be seen.
  uint32_t put_stat(uint32_t pid) {
    const size_t size = put_file(pid, "stat");
    size_t at = size;
    // The name before may hold anything, also brackets.
    while (at > 0 && buffer_[at - 1] != ')') at--;
    if (at == 0 || size - at < 4) return 0;
    uint32_t parent = 0;
    for (at += 3; at < size && buffer_[at] >= '0' && buffer_[at] <= '9'; at++) {
      parent = parent * 10 + static_cast<uint32_t>(buffer_[at] - '0');
    }
    return parent;
  }

 private:
  const char* path_of(uint32_t pid, const char* name) {
    char* at = path_;
    append(at, "/proc/");
    append(at, uint64_t{pid});
    append(at, "/");
    append(at, name);
    return path_;
  }

  void write(const char* bytes, size_t size) const {
    while (size > 0) {
      const long done = os::call(SYS_write, file_, os::word(bytes), static_cast<long>(size));
      if (done <= 0) return;
      bytes += done;
      size -= static_cast<size_t>(done);
    }
  }

  char* buffer_;
  char path_[64];
  long file_ = -1;
};

}  // namespace

void describe_process(const char* recording, bool forked) {
  const size_t size = os::length(recording);
  auto* path = static_cast<char*>(os::allocate_small(size + 16));
  auto* buffer = static_cast<char*>(os::allocate(kLargestField));
  if (!path || !buffer) return;
  char* end = path;
  append(end, recording);
  append(end, ".process");
  {
    Description file(path, buffer);
    if (file.open()) {
      const uint32_t self = os::process_id();
      file.put("forked", forked ? "1" : "0", 1);
      uint32_t parent = file.put_stat(self);
      file.put_file(self, "cmdline");
      file.put_link(self, "exe", "exe");
      file.put_link(self, "cwd", "cwd");
      file.put_link(self, "stdin", "fd/0");
      file.put_file(self, "environ");
      for (int i = 0; i < kMostAncestors && parent > 1; i++) {
        const uint32_t pid = parent;
        parent = file.put_stat(pid);
        file.put_file(pid, "cmdline");
        file.put_link(pid, "exe", "exe");
        file.put_link(pid, "cwd", "cwd");
      }
    }
  }
  os::release(buffer, kLargestField);
}

}  // namespace foretell::rt
