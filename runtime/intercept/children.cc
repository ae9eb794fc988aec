// SPDX-License-Identifier: Apache-2.0

// Waiting for child processes.
#include "runtime/intercept/start.h"
#include "runtime/intercept/waiting.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"

namespace foretell::rt {

namespace {

// waitid's way to say what waitpid's first argument says.
struct Children : Question {
  idtype_t type;
  id_t id;
  int options;

  static bool changed(Question* question) {
    auto* it = static_cast<Children*>(question);
    siginfo_t info{};
    const long result =
        os::call(SYS_waitid, it->type, it->id, os::word(&info), it->options | WNOHANG | WNOWAIT, 0);
    return result != 0 || info.si_pid != 0;
  }
};

Children children_of(pid_t pid, int options) {
  const int kinds = WEXITED | (options & WUNTRACED ? WSTOPPED : 0) | (options & WCONTINUED);
  if (pid < -1) return {{Children::changed}, P_PGID, static_cast<id_t>(-pid), kinds};
  if (pid == -1) return {{Children::changed}, P_ALL, 0, kinds};
  if (pid == 0) return {{Children::changed}, P_PGID, 0, kinds};
  return {{Children::changed}, P_PID, static_cast<id_t>(pid), kinds};
}

pid_t wait_for_child(pid_t pid, int* status, int options, rusage* usage) {
  Call call(nullptr);
  const auto really = [=] { return real.wait4(pid, status, options, usage); };
  if (!call) return really();
  if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
  Children question = children_of(pid, options);
  if (!(options & WNOHANG) && !await(call.thread, question)) return -1;
  return really();
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT pid_t wait(int* status) {
  initialize();
  return wait_for_child(-1, status, 0, nullptr);
}

FORETELL_INTERCEPT pid_t waitpid(pid_t pid, int* status, int options) {
  initialize();
  return wait_for_child(pid, status, options, nullptr);
}

FORETELL_INTERCEPT pid_t wait3(int* status, int options, rusage* usage) {
  initialize();
  return wait_for_child(-1, status, options, usage);
}

FORETELL_INTERCEPT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) {
  initialize();
  return wait_for_child(pid, status, options, usage);
}

FORETELL_INTERCEPT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.waitid(type, id, info, options); };
  if (!call) return really();
  if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
  Children question{{Children::changed}, type, id, options & ~(WNOHANG | WNOWAIT)};
  if (!(options & WNOHANG) && !await(call.thread, question)) return -1;
  return really();
}
