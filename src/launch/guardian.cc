// SPDX-License-Identifier: Apache-2.0

#include "launch/guardian.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace foretell::launch {
namespace {

// Messages that are no process and no group.
constexpr pid_t kDismissed = 0, kKillAll = std::numeric_limits<pid_t>::min();

// The other processes of a recorded program append their number to its name.
constexpr const char* kRemoval = R"(rm -rf -- ${1:+"$1" "$1".contended "$1".[0-9]*} ${2:+"$2"})";

// From here on, code of the guardian: it was forked from a process that may have had threads, so it
// only makes system calls.

class EnvironmentReader {
 public:
  explicit EnvironmentReader(std::string_view mark) : mark_(mark) {
    void* memory =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) buffer_ = static_cast<char*>(memory);
  }

  bool has_mark(const char* pid) const {
    if (buffer_ == nullptr || mark_.empty()) return false;
    std::array<char, 64> path{};
    ::strcpy(path.data(), "/proc/");
    ::strncat(path.data(), pid, 20);
    ::strcat(path.data(), "/environ");
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < kSize; size += static_cast<size_t>(got)) {
      got = ::read(fd, buffer_ + size, kSize - size);
      if (got < 0) break;
    }
    ::close(fd);
    return ::memmem(buffer_, size, mark_.data(), mark_.size()) != nullptr;
  }

 private:
  static constexpr size_t kSize = size_t{4} << 20;  // more than the kernel lets an environment have
  std::string_view mark_;
  char* buffer_ = nullptr;
};

// Returns how many were found.
int kill_marked(const EnvironmentReader& reader) {
  struct Entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  int found = 0;
  alignas(Entry) std::array<char, 32768> buffer;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      at += entry->length;
      const char* end = entry->name + std::strlen(entry->name);
      pid_t pid = 0;
      const auto parsed = std::from_chars(entry->name, end, pid);
      if (parsed.ec != std::errc() || parsed.ptr != end || !reader.has_mark(entry->name)) continue;
      ::kill(pid, SIGKILL);
      ++found;
    }
  }
  ::close(folder);
  return found;
}

void kill_all_of(pid_t target, std::string_view mark) {
  if (target != 0) ::kill(target, SIGKILL);
  const EnvironmentReader reader(mark);
  // One that was just being forked is found the next time.
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds && kill_marked(reader) > 0; ++round) ::usleep(10'000);
}

[[noreturn]] void guard(int pipe, std::string_view mark, char* const* removal) {
  ::setsid();  // What a terminal sends is not for us.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  // Whoever waits for the end of our streams must not wait for a guardian.
  ::dup2(pipe, 0);
  ::syscall(SYS_close_range, 1u, ~0u, 0u);
  pid_t target = 0;
  for (pid_t message = 0;;) {
    const ssize_t got = ::read(0, &message, sizeof message);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof message) break;
    if (message == kDismissed) ::_exit(0);
    if (message == kKillAll) {
      kill_all_of(target, mark);
    } else {
      target = message;
    }
  }
  kill_all_of(target, mark);
  ::sigemptyset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  char* const no_environment[] = {nullptr};
  if (removal != nullptr) ::execve("/bin/sh", removal, no_environment);
  ::_exit(0);
}

}  // namespace

Guardian::Guardian(const GuardedThings& things) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  std::string arguments[] = {"sh", "-c", kRemoval, "sh", things.recording, things.folder};
  char* removal[7] = {};
  for (size_t i = 0; i < std::size(arguments); ++i) removal[i] = arguments[i].data();
  const bool removes = !things.recording.empty() || !things.folder.empty();
  process_ = ::fork();
  if (process_ == 0) guard(ends[0], things.mark, removes ? removal : nullptr);
  ::close(ends[0]);
  if (process_ > 0) {
    pipe_ = ends[1];
  } else {
    ::close(ends[1]);
  }
}

Guardian::~Guardian() {
  if (process_ <= 0) return;
  send(kDismissed);
  ::close(pipe_);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::watch(pid_t target) const {
  send(target);
}

void Guardian::kill_all() const {
  send(kKillAll);
}

void Guardian::send(pid_t message) const {
  if (pipe_ < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(pipe_, &message, sizeof message);
}

}  // namespace foretell::launch
