// SPDX-License-Identifier: Apache-2.0

#include "base/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace foretell {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int value() const { return fd_; }

 private:
  int fd_;
};

// Copies everything `input` yields into an unlinked temporary file.
Result<FileDescriptor> spool(int input, const std::string& name) {
  const char* directory = std::getenv("TMPDIR");
  std::string path = std::string(directory && *directory ? directory : "/tmp") + "/foretell-XXXXXX";
  FileDescriptor file(::mkstemp(path.data()));
  if (file.value() < 0) {
    return fail("cannot spool {} to a temporary file: {}", name, std::strerror(errno));
  }
  ::unlink(path.c_str());
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail("cannot read {}: {}", name, std::strerror(errno));
    if (got == 0) return file;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::write(file.value(), buffer.data() + done, static_cast<size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        return fail("cannot spool {} to a temporary file: {}", name, std::strerror(errno));
      }
      done += put;
    }
  }
}

// A page of a hole takes space when it is touched through a mapping of a tmpfs. If there is none
// left, that is a bus error, and a program that filled the disk leaves a recording with such holes.
bool map_holes(int fd, char* mapping, off_t size) {
  for (off_t hole = 0; (hole = ::lseek(fd, hole, SEEK_HOLE)) >= 0 && hole < size;) {
    const off_t data = ::lseek(fd, hole, SEEK_DATA);
    const off_t end = data < 0 ? size : data;
    const auto page = static_cast<off_t>(::sysconf(_SC_PAGESIZE));
    const off_t begin = (hole + page - 1) / page * page;
    if (begin < end && ::mmap(mapping + begin, static_cast<size_t>(end - begin), PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      return false;
    }
    hole = end;
  }
  return true;
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  const bool standard_input = path == "-";
  InputFile file;
  file.name_ = standard_input ? "<stdin>" : path;
  FileDescriptor fd(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (fd.value() < 0 || ::fstat(fd.value(), &status) != 0) {
    return fail("cannot open {}: {}", file.name_, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return fail("cannot read {}: it is a directory", file.name_);

  if (S_ISREG(status.st_mode) && !standard_input) {
    if (auto mapped = file.map(fd.value()); !mapped) return std::unexpected(mapped.error());
    return file;
  }
  auto spooled = spool(fd.value(), file.name_);
  if (!spooled) return std::unexpected(std::move(spooled).error());
  if (auto mapped = file.map(spooled->value()); !mapped) return std::unexpected(mapped.error());
  return file;
}

Result<void> InputFile::map(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail("cannot read {}: {}", name_, std::strerror(errno));
  if (status.st_size == 0) return {};
  const auto size = static_cast<size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) return fail("cannot map {}: {}", name_, std::strerror(errno));
  bytes_ = {static_cast<const char*>(address), size};
  mapped_ = true;
  const bool has_holes = status.st_blocks * 512 < status.st_size;
  if (has_holes && !map_holes(fd, static_cast<char*>(address), status.st_size)) {
    return fail("cannot map {}: {}", name_, std::strerror(errno));
  }
  return {};
}

InputFile InputFile::from_memory(std::string_view bytes, std::string name) {
  InputFile file;
  file.name_ = std::move(name);
  file.bytes_ = bytes;
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept {
  *this = std::move(other);
}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(released_, other.released_);
  return *this;
}

InputFile::~InputFile() {
  if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void InputFile::release_before(size_t offset) {
  constexpr size_t kStep = size_t{4} << 20;
  if (!mapped_) return;
  if (offset < released_) released_ = 0;  // the file is being read again
  const size_t whole = offset / kStep * kStep;
  if (whole <= released_) return;
  ::madvise(const_cast<char*>(bytes_.data()) + released_, whole - released_, MADV_DONTNEED);
  released_ = whole;
}

}  // namespace foretell
