// SPDX-License-Identifier: Apache-2.0

// stdio streams. Reading: if the buffer is empty, waits for the descriptor first; a line that comes
// in several pieces may still block inside libc, and the watchdog notices that. Who reads from a
// pipe or socket comes after who wrote to it; a write that stays in the buffer for now counts as
// made. Standard output and error are not
// read in this process.
// Without this libc's headers define some of these inline.
#define __NO_INLINE__ 1
#include <stdarg.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"

namespace foretell::rt {
namespace {

// The fields every FILE of glibc begins with.
bool has_buffered(FILE* stream) {
  return stream->_IO_read_ptr < stream->_IO_read_end;
}

void await_input(const Call& call, FILE* stream) {
  if (mode == Mode::parallel || !stream || has_buffered(stream)) return;
  const int fd = fileno(stream);
  // An error of the descriptor is the stream's to report; a signal means that libc tries again.
  if (fd >= 0) await_descriptor(call.thread, fd, POLLIN);
}

// What of a buffer changes when it is filled again.
struct Filling {
  const char* at;
  const char* end;

  explicit Filling(const FILE* stream) : at(stream->_IO_read_ptr), end(stream->_IO_read_end) {}
  bool filled_since(const Filling& before) const {
    return before.at == before.end || at == end || at < before.at || end != before.end;
  }
};

template <class Real>
auto reading(FILE* stream, Real real_call) {
  Call call(nullptr);
  if (!call || !stream) return real_call();
  await_input(call, stream);
  const Filling before(stream);
  const auto result =
      mode == Mode::parallel ? call_cancellable(call.thread, real_call, [] {}) : real_call();
  if (Filling(stream).filled_since(before)) note_read(call, fileno(stream));
  return result;
}

// Whether the stream of this thread's last write is a channel: most write files, byte by byte. A
// stream is another one only after something was closed.
struct LastWritten {
  FILE* stream;
  uint32_t closed_before;
  bool is_channel;
};
__thread LastWritten last_written_ __attribute__((tls_model("initial-exec")));
uint32_t closed_ = 1;

bool goes_to_channel(FILE* stream) {
  LastWritten& last = last_written_;
  const uint32_t closed = __atomic_load_n(&closed_, __ATOMIC_RELAXED);
  if (last.stream != stream || last.closed_before != closed) {
    last = {stream, closed, is_channel(fileno(stream))};
  }
  return last.is_channel;
}

template <class Real>
auto writing(FILE* stream, Real real_call) {
  if (!active || !stream || stream == stdout || stream == stderr || !goes_to_channel(stream)) {
    return real_call();
  }
  Call call(nullptr);
  if (call) {
    before_step(call.thread, false);
    note_written(call, fileno(stream));
  }
  return real_call();
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT size_t fread(void* to, size_t size, size_t count, FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.fread(to, size, count, stream); });
}

FORETELL_INTERCEPT char* fgets(char* to, int size, FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.fgets(to, size, stream); });
}

FORETELL_INTERCEPT int fgetc(FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.fgetc(stream); });
}

FORETELL_INTERCEPT int getc(FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.getc(stream); });
}

FORETELL_INTERCEPT int getchar() {
  initialize();
  return reading(stdin, [] { return real.getchar(); });
}

FORETELL_INTERCEPT ssize_t getline(char** line, size_t* size, FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.getline(line, size, stream); });
}

FORETELL_INTERCEPT ssize_t getdelim(char** line, size_t* size, int end, FILE* stream) {
  initialize();
  return reading(stream, [=] { return real.getdelim(line, size, end, stream); });
}

FORETELL_INTERCEPT int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments) {
  initialize();
  va_list own;
  va_copy(own, arguments);
  const int result = reading(stream, [&] { return real.__isoc99_vfscanf(stream, format, own); });
  va_end(own);
  return result;
}

FORETELL_INTERCEPT int __isoc99_fscanf(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __isoc99_vfscanf(stream, format, arguments);
  va_end(arguments);
  return result;
}

FORETELL_INTERCEPT size_t fwrite(const void* from, size_t size, size_t count, FILE* stream) {
  initialize();
  return writing(stream, [=] { return real.fwrite(from, size, count, stream); });
}

FORETELL_INTERCEPT int fputs(const char* text, FILE* stream) {
  initialize();
  return writing(stream, [=] { return real.fputs(text, stream); });
}

FORETELL_INTERCEPT int fputc(int byte, FILE* stream) {
  initialize();
  return writing(stream, [=] { return real.fputc(byte, stream); });
}

FORETELL_INTERCEPT int putc(int byte, FILE* stream) {
  initialize();
  return writing(stream, [=] { return real.putc(byte, stream); });
}

FORETELL_INTERCEPT int vfprintf(FILE* stream, const char* format, va_list arguments) {
  initialize();
  va_list own;
  va_copy(own, arguments);
  const int result = writing(stream, [&] { return real.vfprintf(stream, format, own); });
  va_end(own);
  return result;
}

FORETELL_INTERCEPT int fprintf(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfprintf(stream, format, arguments);
  va_end(arguments);
  return result;
}

// The same, as -D_FORTIFY_SOURCE has it called.
FORETELL_INTERCEPT int __vfprintf_chk(FILE* stream, int flag, const char* format,
                                      va_list arguments) {
  initialize();
  va_list own;
  va_copy(own, arguments);
  const int result =
      writing(stream, [&] { return real.__vfprintf_chk(stream, flag, format, own); });
  va_end(own);
  return result;
}

FORETELL_INTERCEPT int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __vfprintf_chk(stream, flag, format, arguments);
  va_end(arguments);
  return result;
}

FORETELL_INTERCEPT int fflush(FILE* stream) {
  initialize();
  return writing(stream, [=] { return real.fflush(stream); });
}

FORETELL_INTERCEPT int fclose(FILE* stream) {
  initialize();
  __atomic_fetch_add(&closed_, 1, __ATOMIC_RELAXED);
  Call call(nullptr);
  if (call && stream) note_end(call, fileno(stream));
  return real.fclose(stream);
}
