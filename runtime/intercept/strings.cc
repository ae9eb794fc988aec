// SPDX-License-Identifier: Apache-2.0

// What functions on memory and strings read and write.
//
// Only for calls from instrumented code: it says where it calls from, so a call that does not is
// from a library's inside and goes straight to the real function. Objects compiled for the second
// front end say nothing, there all calls count.
//
// The compiler may call memcpy and similar functions from the runtime itself, and at any time:
// without the real function they are done by hand. <string.h> is left out: in C++ it declares some
// of these twice.
#include "runtime/intercept/library_accesses.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

size_t length_within(const char* text, size_t limit) {
  size_t n = 0;
  while (n < limit && text[n]) n++;
  return n;
}

// How much of either string a comparison looks at.
size_t compared(const char* a, const char* b, size_t limit, bool any_case) {
  const auto lower = [=](char c) { return any_case && c >= 'A' && c <= 'Z' ? c + 32 : int{c}; };
  size_t n = 0;
  while (n < limit && a[n] && lower(a[n]) == lower(b[n])) n++;
  return n < limit ? n + 1 : limit;
}

constexpr size_t kUnlimited = ~size_t{0};

// A string's bytes with their end, but no more than `limit`.
size_t extent(const char* text, size_t limit = kUnlimited) {
  const size_t length = length_within(text, limit);
  return length < limit ? length + 1 : limit;
}

void* set_by_hand(void* to, int byte, size_t size) {
  void* d = to;
  asm volatile("rep stosb" : "+D"(d), "+c"(size) : "a"(byte) : "memory");
  return to;
}

void* move_by_hand(void* to, const void* from, size_t size) {
  auto* d = static_cast<volatile char*>(to);
  const auto* s = static_cast<const char*>(from);
  if (d < s) {
    os::copy(to, from, size);
  } else {
    while (size-- > 0) d[size] = s[size];
  }
  return to;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

namespace {

// `caller` is who called the function of the program, not us.
void* copy(void* caller, void* to, const void* from, size_t size) {
  if (!real.memcpy) return move_by_hand(to, from, size);
  if (!of_interest()) return real.memcpy(to, from, size);
  LibraryAccesses access(caller);
  access.read(from, size);
  access.write(to, size);
  return real.memcpy(to, from, size);
}

void* set(void* caller, void* to, int byte, size_t size) {
  if (!real.memset) return set_by_hand(to, byte, size);
  if (!of_interest()) return real.memset(to, byte, size);
  LibraryAccesses access(caller);
  access.write(to, size);
  return real.memset(to, byte, size);
}

}  // namespace

FORETELL_INTERCEPT void* memcpy(void* to, const void* from, size_t size) {
  return copy(__builtin_return_address(0), to, from, size);
}

FORETELL_INTERCEPT void* memmove(void* to, const void* from, size_t size) {
  if (!real.memmove) return move_by_hand(to, from, size);
  if (!of_interest()) return real.memmove(to, from, size);
  LibraryAccesses access(__builtin_return_address(0));
  access.read(from, size);
  access.write(to, size);
  return real.memmove(to, from, size);
}

FORETELL_INTERCEPT void* mempcpy(void* to, const void* from, size_t size) {
  return static_cast<char*>(copy(__builtin_return_address(0), to, from, size)) + size;
}

FORETELL_INTERCEPT void* __memcpy_chk(void* to, const void* from, size_t size, size_t room) {
  if (size > room) return real.__memcpy_chk(to, from, size, room);
  return copy(__builtin_return_address(0), to, from, size);
}

FORETELL_INTERCEPT void* __memmove_chk(void* to, const void* from, size_t size, size_t room) {
  if (size > room) return real.__memmove_chk(to, from, size, room);
  return memmove(to, from, size);
}

FORETELL_INTERCEPT void* memset(void* to, int byte, size_t size) {
  return set(__builtin_return_address(0), to, byte, size);
}

FORETELL_INTERCEPT void* __memset_chk(void* to, int byte, size_t size, size_t room) {
  if (size > room) return real.__memset_chk(to, byte, size, room);
  return set(__builtin_return_address(0), to, byte, size);
}

FORETELL_INTERCEPT void bzero(void* to, size_t size) {
  set(__builtin_return_address(0), to, 0, size);
}

FORETELL_INTERCEPT int memcmp(const void* a, const void* b, size_t size) {
  if (!of_interest() || !real.memcmp) {
    if (real.memcmp) return real.memcmp(a, b, size);
    const auto* x = static_cast<const unsigned char*>(a);
    const auto* y = static_cast<const unsigned char*>(b);
    for (size_t i = 0; i < size; i++) {
      if (x[i] != y[i]) return x[i] - y[i];
    }
    return 0;
  }
  LibraryAccesses access(__builtin_return_address(0));
  access.read(a, size);
  access.read(b, size);
  return real.memcmp(a, b, size);
}

FORETELL_INTERCEPT void* memchr(const void* in, int byte, size_t size) {
  initialize();
  if (!of_interest()) return real.memchr(in, byte, size);
  LibraryAccesses access(__builtin_return_address(0));
  auto* found = static_cast<char*>(real.memchr(in, byte, size));
  access.read(in, found ? static_cast<size_t>(found - static_cast<const char*>(in)) + 1 : size);
  return found;
}

FORETELL_INTERCEPT size_t strlen(const char* text) {
  if (!real.strlen) return length_within(text, kUnlimited);
  const size_t size = real.strlen(text);
  if (!of_interest()) return size;
  LibraryAccesses access(__builtin_return_address(0));
  access.read(text, size + 1);
  return size;
}

FORETELL_INTERCEPT size_t strnlen(const char* text, size_t limit) {
  const size_t size = length_within(text, limit);
  if (!of_interest()) return size;
  LibraryAccesses access(__builtin_return_address(0));
  access.read(text, size < limit ? size + 1 : limit);
  return size;
}

FORETELL_INTERCEPT char* strcpy(char* to, const char* from) {
  initialize();
  if (!of_interest()) return real.strcpy(to, from);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t size = extent(from);
  access.read(from, size);
  access.write(to, size);
  return real.strcpy(to, from);
}

FORETELL_INTERCEPT char* __strcpy_chk(char* to, const char* from, size_t room) {
  if (extent(from) > room) return real.__strcpy_chk(to, from, room);
  return strcpy(to, from);
}

FORETELL_INTERCEPT char* stpcpy(char* to, const char* from) {
  const size_t size = extent(from);
  return static_cast<char*>(copy(__builtin_return_address(0), to, from, size)) + size - 1;
}

FORETELL_INTERCEPT char* strncpy(char* to, const char* from, size_t size) {
  initialize();
  if (!of_interest()) return real.strncpy(to, from, size);
  LibraryAccesses access(__builtin_return_address(0));
  access.read(from, extent(from, size));
  access.write(to, size);
  return real.strncpy(to, from, size);
}

FORETELL_INTERCEPT char* strcat(char* to, const char* from) {
  initialize();
  if (!of_interest()) return real.strcat(to, from);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t before = extent(to);
  const size_t size = extent(from);
  access.read(to, before);
  access.read(from, size);
  access.write(to + before - 1, size);
  return real.strcat(to, from);
}

FORETELL_INTERCEPT char* __strcat_chk(char* to, const char* from, size_t room) {
  if (extent(to) - 1 + extent(from) > room) return real.__strcat_chk(to, from, room);
  return strcat(to, from);
}

FORETELL_INTERCEPT char* strncat(char* to, const char* from, size_t limit) {
  initialize();
  if (!of_interest()) return real.strncat(to, from, limit);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t before = extent(to);
  access.read(to, before);
  access.read(from, extent(from, limit));
  access.write(to + before - 1, length_within(from, limit) + 1);
  return real.strncat(to, from, limit);
}

FORETELL_INTERCEPT int strcmp(const char* a, const char* b) {
  initialize();
  if (!of_interest()) return real.strcmp(a, b);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t size = compared(a, b, kUnlimited, false);
  access.read(a, size);
  access.read(b, size);
  return real.strcmp(a, b);
}

FORETELL_INTERCEPT int strncmp(const char* a, const char* b, size_t limit) {
  initialize();
  if (!of_interest()) return real.strncmp(a, b, limit);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t size = compared(a, b, limit, false);
  access.read(a, size);
  access.read(b, size);
  return real.strncmp(a, b, limit);
}

FORETELL_INTERCEPT int strcasecmp(const char* a, const char* b) {
  initialize();
  if (!of_interest()) return real.strcasecmp(a, b);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t size = compared(a, b, kUnlimited, true);
  access.read(a, size);
  access.read(b, size);
  return real.strcasecmp(a, b);
}

FORETELL_INTERCEPT int strncasecmp(const char* a, const char* b, size_t limit) {
  initialize();
  if (!of_interest()) return real.strncasecmp(a, b, limit);
  LibraryAccesses access(__builtin_return_address(0));
  const size_t size = compared(a, b, limit, true);
  access.read(a, size);
  access.read(b, size);
  return real.strncasecmp(a, b, limit);
}

FORETELL_INTERCEPT char* strchr(const char* text, int character) {
  initialize();
  if (!of_interest()) return real.strchr(text, character);
  LibraryAccesses access(__builtin_return_address(0));
  char* found = real.strchr(text, character);
  access.read(text, found ? static_cast<size_t>(found - text) + 1 : extent(text));
  return found;
}

FORETELL_INTERCEPT char* strrchr(const char* text, int character) {
  initialize();
  if (!of_interest()) return real.strrchr(text, character);
  LibraryAccesses access(__builtin_return_address(0));
  access.read(text, extent(text));
  return real.strrchr(text, character);
}

FORETELL_INTERCEPT char* strstr(const char* text, const char* part) {
  initialize();
  if (!of_interest()) return real.strstr(text, part);
  LibraryAccesses access(__builtin_return_address(0));
  char* found = real.strstr(text, part);
  access.read(part, extent(part));
  access.read(text, found ? static_cast<size_t>(found - text) + extent(part) - 1 : extent(text));
  return found;
}

FORETELL_INTERCEPT char* strdup(const char* text) {
  initialize();
  if (of_interest()) {
    const uint32_t site = __foretell_thread.call_site;
    {
      LibraryAccesses access(__builtin_return_address(0));
      access.read(text, extent(text));
    }
    __foretell_thread.call_site = site;  // of the malloc in it
  }
  return real.strdup(text);
}

FORETELL_INTERCEPT char* strndup(const char* text, size_t limit) {
  initialize();
  if (of_interest()) {
    const uint32_t site = __foretell_thread.call_site;
    {
      LibraryAccesses access(__builtin_return_address(0));
      access.read(text, extent(text, limit));
    }
    __foretell_thread.call_site = site;
  }
  return real.strndup(text, limit);
}
