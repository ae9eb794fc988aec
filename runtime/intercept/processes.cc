// SPDX-License-Identifier: Apache-2.0

// Other processes. The end of this one: exits.cc.
//
// fork is noticed by handlers that init.cc registers. A child of vfork shares our memory until it
// executes another program, and must leave the recording alone: it belongs to the parent.
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

using recording::State;

// A success does not return, so the recording says beforehand what happens.
template <class Execute>
int execute(Execute execute_really) {
  initialize();
  if (!in_recorded_process()) return execute_really();
  Call call(nullptr);
  const State before = header->state;
  header->state = State::replaced;
  write_found();
  const int result = execute_really();
  header->state = before;
  return result;
}

// The arguments of execl and similar functions up to the null that ends them, then `and_then`.
template <class AndThen>
int with_arguments(const char* first, va_list rest, AndThen and_then) {
  va_list counted;
  va_copy(counted, rest);
  size_t count = first ? 1 : 0;
  while (first && va_arg(counted, char*)) count++;
  va_end(counted);
  auto** list = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  list[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; i++) list[i] = va_arg(rest, char*);
  return and_then(list);
}

struct ClonedChild {
  int (*start)(void*);
  void* argument;
};

int run_cloned_child(void* argument) {
  begin_forked_child();
  const auto* child = static_cast<const ClonedChild*>(argument);
  const int status = child->start(child->argument);
  // libc would end this thread alone, and the runtime's own one would keep the process alive.
  note_end(status);
  for (;;) os::call(SYS_exit_group, static_cast<long>(status));
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

// A child with a memory of its own must not write to the parent's recording.
FORETELL_INTERCEPT int clone(int (*start)(void*), void* stack, int flags, void* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  pid_t* parent_id = va_arg(rest, pid_t*);
  void* thread_area = va_arg(rest, void*);
  pid_t* child_id = va_arg(rest, pid_t*);
  va_end(rest);
  initialize();
  if (flags & CLONE_VM || !in_recorded_process()) {
    return real.clone(start, stack, flags, argument, parent_id, thread_area, child_id);
  }
  ClonedChild child{start, argument};
  const int result =
      real.clone(run_cloned_child, stack, flags, &child, parent_id, thread_area, child_id);
  if (result > 0) note_fork_in_parent();
  return result;
}

FORETELL_INTERCEPT pid_t _Fork() {
  initialize();
  const pid_t child = real._Fork();
  if (child > 0) note_fork_in_parent();
  if (child == 0) begin_forked_child();
  return child;
}

FORETELL_INTERCEPT int execve(const char* path, char* const* arguments, char* const* environment) {
  return execute([=] { return real.execve(path, arguments, environment); });
}

FORETELL_INTERCEPT int execv(const char* path, char* const* arguments) {
  return execute([=] { return real.execv(path, arguments); });
}

FORETELL_INTERCEPT int execvp(const char* file, char* const* arguments) {
  return execute([=] { return real.execvp(file, arguments); });
}

FORETELL_INTERCEPT int execvpe(const char* file, char* const* arguments, char* const* environment) {
  return execute([=] { return real.execvpe(file, arguments, environment); });
}

FORETELL_INTERCEPT int fexecve(int fd, char* const* arguments, char* const* environment) {
  return execute([=] { return real.fexecve(fd, arguments, environment); });
}

FORETELL_INTERCEPT int execveat(int folder, const char* path, char* const* arguments,
                                char* const* environment, int flags) {
  return execute([=] { return real.execveat(folder, path, arguments, environment, flags); });
}

FORETELL_INTERCEPT int execl(const char* path, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int result =
      with_arguments(first, rest, [=](char* const* list) { return execv(path, list); });
  va_end(rest);
  return result;
}

FORETELL_INTERCEPT int execlp(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int result =
      with_arguments(first, rest, [=](char* const* list) { return execvp(file, list); });
  va_end(rest);
  return result;
}

FORETELL_INTERCEPT int execle(const char* path, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int result = with_arguments(first, rest, [&](char* const* list) {
    return execve(path, list, va_arg(rest, char* const*));
  });
  va_end(rest);
  return result;
}

FORETELL_INTERCEPT int system(const char* command) {
  Call call(__builtin_return_address(0));
  if (!call) return real.system(command);
  return call_outside(call.thread, [=] { return real.system(command); });
}

FORETELL_INTERCEPT int pclose(FILE* pipe) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pclose(pipe);
  return call_outside(call.thread, [=] { return real.pclose(pipe); });
}
