// SPDX-License-Identifier: Apache-2.0

#include "launch/input_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace foretell::launch {
namespace {

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// False if the wait was ended, or nothing can come any more.
bool wait_for(int fd, short event, int stop) {
  for (;;) {
    std::array<pollfd, 2> ends{{{fd, event, 0}, {stop, POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (ends[1].revents != 0) return false;
    // Whoever waits to write and finds that nobody reads gets an error as well.
    if (ends[0].revents != 0) return event == POLLIN || (ends[0].revents & POLLERR) == 0;
  }
}

bool write_all(int fd, const char* bytes, size_t size, int stop) {
  while (size > 0) {
    const ssize_t done = ::write(fd, bytes, size);
    if (done > 0) {
      bytes += done;
      size -= static_cast<size_t>(done);
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLOUT, stop)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<InputCopy> InputCopy::open(const std::string& file) {
  InputCopy input;
  int ends[2], stops[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  input.reading_end_ = ends[0];
  input.writing_end_ = ends[1];
  if (::pipe2(stops, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  input.stop_reader_ = stops[0];
  input.stop_ = stops[1];
  ::fcntl(input.writing_end_, F_SETFL, O_NONBLOCK);
  constexpr mode_t kPrivate = 0600;
  input.file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPrivate);
  if (input.file_ < 0) return fail("cannot write {}: {}", file, std::strerror(errno));
  return input;
}

InputCopy::InputCopy(InputCopy&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      reading_end_(std::exchange(other.reading_end_, -1)),
      writing_end_(std::exchange(other.writing_end_, -1)),
      stop_(std::exchange(other.stop_, -1)),
      stop_reader_(std::exchange(other.stop_reader_, -1)),
      thread_(std::move(other.thread_)) {}

InputCopy::~InputCopy() {
  close_end(stop_);
  if (thread_.joinable()) thread_.join();
  for (int* end : {&file_, &reading_end_, &writing_end_, &stop_reader_}) close_end(*end);
}

void InputCopy::begin() {
  close_end(reading_end_);
  // Signals are for the thread that waits for the program; a pipe that nobody reads is no reason to
  // end.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([file = file_, to = std::exchange(writing_end_, -1), stop = stop_reader_] {
    copy(file, to, stop);
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void InputCopy::copy(int file, int writing_end, int stop) {
  std::array<char, 4096> buffer{};
  // Only what there is room for is taken from whoever reads our input after the program.
  while (wait_for(writing_end, POLLOUT, stop) && wait_for(STDIN_FILENO, POLLIN, stop)) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    if (!write_all(file, buffer.data(), static_cast<size_t>(got), stop)) break;
    if (!write_all(writing_end, buffer.data(), static_cast<size_t>(got), stop)) break;
  }
  ::close(writing_end);
}

}  // namespace foretell::launch
