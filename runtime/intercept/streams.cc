// Reading from stdio streams: if the buffer is empty, waits for the descriptor first. A line that
// comes in several pieces may still block inside libc; the watchdog notices that.
// Without this libc's headers define some of these inline.
#define __NO_INLINE__ 1
#include "../real.h"
#include "descriptors.h"

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

template <class Real>
auto reading(FILE* stream, Real real_call) {
  Call call(nullptr);
  if (!call) return real_call();
  await_input(call, stream);
  if (mode == Mode::parallel) return call_cancellable(call.thread, real_call, [] {});
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
