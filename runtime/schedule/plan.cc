// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/platform/os.h"
#include "runtime/watch/watcher.h"

namespace foretell::rt {

Plan plan;

namespace {

constexpr uint64_t kMaxThread = 1 << 20;

[[noreturn]] void reject(const char* what) {
  os::complain("cannot follow the schedule: ", what);
  os::exit_process(ExitStatus::bad_input);
}

// The text without comments and white space.
class Text {
 public:
  Text(const char* at, const char* end) : at_(at), end_(end) { skip(); }

  char peek() const { return at_ == end_ ? '\0' : *at_; }
  char take() {
    const char c = peek();
    if (at_ != end_) at_++;
    skip();
    return c;
  }
  void expect(char c) {
    if (take() != c) reject("it does not have the form ft1:0x12.2x3.1x1");
  }
  uint64_t number() {
    if (peek() < '0' || peek() > '9') reject("a number is missing");
    uint64_t n = 0;
    while (peek() >= '0' && peek() <= '9') {
      if (n >= uint64_t{1} << 58) reject("a number is too large");
      n = n * 10 + static_cast<uint64_t>(take() - '0');
    }
    return n;
  }
  uint32_t thread() {
    const uint64_t n = number();
    if (n >= kMaxThread) reject("a thread number is too large");
    return static_cast<uint32_t>(n);
  }

 private:
  void skip() {
    while (at_ != end_ &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r' || *at_ == '#')) {
      if (*at_ == '#') {
        while (at_ != end_ && *at_ != '\n') at_++;
      } else {
        at_++;
      }
    }
  }

  const char* at_;
  const char* end_;
};

// Both lists begin with a number; what follows it tells them apart.
void read_parents(Text& text, uint32_t first) {
  plan.parents = static_cast<uint32_t*>(os::allocate(kMaxThread * sizeof(uint32_t)));
  if (!plan.parents) reject("out of memory");
  for (uint32_t child = first;; child = text.thread()) {
    text.expect('<');
    plan.parents[child] = text.thread();
    if (child >= plan.parent_count) plan.parent_count = child + 1;
    if (text.peek() != ',') break;
    text.take();
  }
  text.expect(':');
}

}  // namespace

void Plan::advance(uint64_t steps) {
  steps_done += steps;
  done += steps;
  while (at < count && done >= runs[at].steps) {
    done -= runs[at].steps;
    at++;
  }
}

uint32_t Plan::child(uint32_t parent, uint32_t ordinal) const {
  if (!parents) return 0;
  for (uint32_t thread = 1; thread < kMaxThread; thread++) {
    const uint32_t its_parent = thread < parent_count ? parents[thread] : 0;
    if (its_parent == parent && ordinal-- == 0) return thread;
    if (thread >= parent_count && parent != 0) return 0;
  }
  return 0;
}

void load_plan(const char* path) {
  const long fd = os::call(SYS_open, os::word(path), O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd < 0 || os::call(SYS_fstat, fd, os::word(&about)) < 0) reject("its file cannot be read");
  const size_t size = static_cast<size_t>(about.st_size);
  if (size == 0) reject("its file is empty");
  const long at = os::call(SYS_mmap, 0, about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  os::call(SYS_close, fd);
  if (at < 0 && at > -4096) reject("its file cannot be read");
  const char* begin = reinterpret_cast<const char*>(at);

  plan.runs = static_cast<PlanRun*>(os::allocate((size / 2 + 1) * sizeof(PlanRun)));
  if (!plan.runs) reject("out of memory");
  Text text(begin, begin + size);
  text.expect('f');
  text.expect('t');
  const bool is_of_contended = text.peek() == '2';
  text.expect(is_of_contended ? '2' : '1');
  text.expect(':');
  // Its numbers mean something only where the same accesses are steps.
  if (is_of_contended && !watch::watching_on) {
    reject("it counts accesses of contended memory only, and all are recorded");
  }
  if (!is_of_contended && watch::watching_on) {
    reject("it counts all accesses, and only those of contended memory are recorded");
  }
  if (text.peek() != '\0') {
    uint32_t thread = text.thread();
    if (text.peek() == '<') {
      read_parents(text, thread);
      if (text.peek() == '\0') return;
      thread = text.thread();
    }
    for (;; thread = text.thread()) {
      text.expect('x');
      const uint64_t steps = text.number();
      if (steps > 0) plan.runs[plan.count++] = {thread, steps};
      if (text.peek() == '\0') break;
      text.expect('.');
    }
  }
  os::call(SYS_munmap, at, about.st_size);
}

}  // namespace foretell::rt
