// SPDX-License-Identifier: Apache-2.0

// Text that is formatted into memory: sprintf and its family. How much is written is known only
// when it has been formatted, and the step comes first: so it is formatted twice. The arguments that
// are strings are not looked at.
#include <stdarg.h>

#include "runtime/intercept/library_accesses.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

constexpr size_t kNoLimit = ~size_t{0};

void note_formatted(void* caller, char* to, size_t room, const char* format, va_list arguments) {
  if (!of_interest() || room == 0) return;
  va_list copy;
  va_copy(copy, arguments);
  const int length = real.vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  LibraryAccesses access(caller);
  if (length < 0) return;
  const size_t size = static_cast<size_t>(length) + 1;
  access.write(to, size < room ? size : room);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int vsnprintf(char* to, size_t room, const char* format, va_list arguments) {
  initialize();
  note_formatted(__builtin_return_address(0), to, room, format, arguments);
  return real.vsnprintf(to, room, format, arguments);
}

FORETELL_INTERCEPT int vsprintf(char* to, const char* format, va_list arguments) {
  initialize();
  note_formatted(__builtin_return_address(0), to, kNoLimit, format, arguments);
  return real.vsprintf(to, format, arguments);
}

FORETELL_INTERCEPT int snprintf(char* to, size_t room, const char* format, ...) {
  initialize();
  va_list arguments;
  va_start(arguments, format);
  note_formatted(__builtin_return_address(0), to, room, format, arguments);
  const int length = real.vsnprintf(to, room, format, arguments);
  va_end(arguments);
  return length;
}

FORETELL_INTERCEPT int sprintf(char* to, const char* format, ...) {
  initialize();
  va_list arguments;
  va_start(arguments, format);
  note_formatted(__builtin_return_address(0), to, kNoLimit, format, arguments);
  const int length = real.vsprintf(to, format, arguments);
  va_end(arguments);
  return length;
}

FORETELL_INTERCEPT int __vsnprintf_chk(char* to, size_t room, int flag, size_t object,
                                       const char* format, va_list arguments) {
  initialize();
  note_formatted(__builtin_return_address(0), to, room, format, arguments);
  return real.__vsnprintf_chk(to, room, flag, object, format, arguments);
}

FORETELL_INTERCEPT int __vsprintf_chk(char* to, int flag, size_t object, const char* format,
                                      va_list arguments) {
  initialize();
  note_formatted(__builtin_return_address(0), to, object, format, arguments);
  return real.__vsprintf_chk(to, flag, object, format, arguments);
}

FORETELL_INTERCEPT int __snprintf_chk(char* to, size_t room, int flag, size_t object,
                                      const char* format, ...) {
  initialize();
  va_list arguments;
  va_start(arguments, format);
  note_formatted(__builtin_return_address(0), to, room, format, arguments);
  const int length = real.__vsnprintf_chk(to, room, flag, object, format, arguments);
  va_end(arguments);
  return length;
}

FORETELL_INTERCEPT int __sprintf_chk(char* to, int flag, size_t object, const char* format, ...) {
  initialize();
  va_list arguments;
  va_start(arguments, format);
  note_formatted(__builtin_return_address(0), to, object, format, arguments);
  const int length = real.__vsprintf_chk(to, flag, object, format, arguments);
  va_end(arguments);
  return length;
}
