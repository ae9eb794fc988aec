// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/names.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "recording/contended.h"
#include "runtime/platform/os.h"

namespace foretell::rt::watch {
namespace {

constexpr uint32_t kPlaces = 1 << 14;
Names* places_[kPlaces];
Names* newest_ = nullptr;
bool known_[4];

constexpr const char* kWords[] = {"global", "heap", "stack", "tls"};

bool same_text(const char* a, const char* b) {
  const size_t size = os::length(a);
  return size == os::length(b) && os::equal(a, b, size);
}

uint32_t place_of(NameKind kind, uint64_t key, const char* path) {
  uint64_t hash = key * 8 + static_cast<uint64_t>(kind);
  for (; *path; path++) hash = (hash ^ static_cast<unsigned char>(*path)) * 0x9e3779b97f4a7c15;
  hash *= 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(hash >> 40) % kPlaces;
}

const char* kept(const char* text, size_t size) {
  auto* copy = static_cast<char*>(os::allocate_small(size + 1));
  if (!copy) return "";
  os::copy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

[[noreturn]] void reject(const char* what) {
  os::complain("cannot read the list of contended memory: ", what);
  os::exit_process(ExitStatus::bad_input);
}

// Reads the words of a line.
class Line {
 public:
  Line(const char* at, const char* end) : at_(at), end_(end) {}

  bool take(const char* word) {
    const size_t size = os::length(word);
    const auto left = static_cast<size_t>(end_ - at_);
    if (left < size || !os::equal(at_, word, size)) return false;
    if (left > size && at_[size] != ' ') return false;
    at_ += left > size ? size + 1 : size;
    return true;
  }
  int64_t number() {
    const bool negative = at_ != end_ && *at_ == '-';
    if (negative) at_++;
    if (at_ == end_ || *at_ < '0' || *at_ > '9') reject("a number is missing");
    uint64_t n = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; at_++) {
      n = n * 10 + static_cast<uint64_t>(*at_ - '0');
    }
    if (at_ != end_ && *at_++ != ' ') reject("a number is damaged");
    return static_cast<int64_t>(negative ? -n : n);
  }
  const char* rest() const { return kept(at_, static_cast<size_t>(end_ - at_)); }

 private:
  const char* at_;
  const char* end_;
};

void read_line(Line line) {
  NameKind kind{};
  uint64_t key = 0;
  // What is said of the run that found them.
  constexpr const char* kOfRun[] = {"found", "unnamed", "gave-up", "unfinished"};
  for (const char* word : kOfRun) {
    if (line.take(word)) return;
  }
  if (line.take("global")) {
    kind = NameKind::global;
  } else if (line.take("heap")) {
    kind = NameKind::heap;
  } else if (line.take("stack")) {
    kind = NameKind::stack;
  } else if (line.take("tls")) {
    kind = NameKind::tls;
  } else {
    reject("a line begins with no word that is known");
  }
  if (kind == NameKind::heap || kind == NameKind::stack) key = static_cast<uint64_t>(line.number());
  const int64_t offset = line.number();
  const int64_t size = line.number();
  Names* names = find_names(kind, key, kind == NameKind::global ? line.rest() : "");
  if (!names || !names->known.add({offset, offset + size})) reject("out of memory");
  known_[static_cast<size_t>(kind)] = true;
}

// A file that is written piece by piece.
class Output {
 public:
  explicit Output(const char* path)
      : fd_(os::call(SYS_open, os::word(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~Output() {
    flush();
    if (fd_ >= 0) os::call(SYS_close, fd_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void text(const char* text) {
    for (; *text; text++) {
      if (used_ == sizeof buffer_) flush();
      buffer_[used_++] = *text;
    }
  }
  void number(int64_t value) {
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    uint64_t left = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do digits[--at] = static_cast<char>('0' + left % 10);
    while (left /= 10);
    if (value < 0) digits[--at] = '-';
    text(digits + at);
  }

 private:
  void flush() {
    if (fd_ >= 0 && used_) os::call(SYS_write, fd_, os::word(buffer_), static_cast<long>(used_));
    used_ = 0;
  }

  long fd_;
  size_t used_ = 0;
  char buffer_[4096];
};

void write_stretch(Output& output, const Names& names, Stretch stretch) {
  output.text(kWords[static_cast<size_t>(names.kind)]);
  if (names.kind == NameKind::heap || names.kind == NameKind::stack) {
    output.text(" ");
    output.number(static_cast<int64_t>(names.key));
  }
  output.text(" ");
  output.number(stretch.begin);
  output.text(" ");
  output.number(stretch.end - stretch.begin);
  if (names.kind == NameKind::global) {
    output.text(" ");
    output.text(names.path);
  }
  output.text("\n");
}

}  // namespace

Names* find_names(NameKind kind, uint64_t key, const char* path) {
  Names*& place = places_[place_of(kind, key, path)];
  for (Names* names = place; names; names = names->next) {
    if (names->kind == kind && names->key == key && same_text(names->path, path)) return names;
  }
  auto* names = static_cast<Names*>(os::allocate_small(sizeof(Names)));
  if (!names) return nullptr;
  *names = {.kind = kind, .key = key, .path = kept(path, os::length(path))};
  names->next = place;
  names->older = newest_;
  place = newest_ = names;
  return names;
}

bool has_known(NameKind kind) {
  return known_[static_cast<size_t>(kind)];
}

void load_names(const char* path) {
  if (!*path) return;
  const long fd = os::call(SYS_open, os::word(path), O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd < 0 || os::call(SYS_fstat, fd, os::word(&about)) < 0 || about.st_size == 0) {
    reject("its file cannot be read");
  }
  const long at = os::call(SYS_mmap, 0, about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  os::call(SYS_close, fd);
  if (at < 0 && at > -4096) reject("its file cannot be read");
  const char* begin = reinterpret_cast<const char*>(at);
  const char* end = begin + about.st_size;
  for (bool first = true; begin != end; first = false) {
    const char* stop = begin;
    while (stop != end && *stop != '\n') stop++;
    Line line(begin, stop);
    if (first) {
      const size_t size = os::length(recording::kContendedTitle);
      if (static_cast<size_t>(stop - begin) != size ||
          !os::equal(begin, recording::kContendedTitle, size)) {
        reject("it has another format");
      }
    } else if (stop != begin) {
      read_line(line);
    }
    begin = stop == end ? end : stop + 1;
  }
  os::call(SYS_munmap, at, about.st_size);
}

void write_found(const char* path, const Summary& summary) {
  Output output(path);
  const auto count = [&](const char* word, uint64_t number) {
    output.text(word);
    output.number(static_cast<int64_t>(number));
    output.text("\n");
  };
  output.text(recording::kContendedTitle);
  output.text("\n");
  for (const Names* names = newest_; names; names = names->older) {
    for (const Stretch& stretch : names->found) write_stretch(output, *names, stretch);
  }
  count("found ", summary.found);
  if (summary.unnamed) count("unnamed ", summary.unnamed);
  if (summary.gave_up) output.text("gave-up\n");
  if (!summary.finished) output.text("unfinished\n");
}

void forget_found() {
  for (Names* names = newest_; names; names = names->older) names->found = {};
}

}  // namespace foretell::rt::watch
