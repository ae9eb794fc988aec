// SPDX-License-Identifier: Apache-2.0

// The real functions behind the intercepted ones.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

// Some of these are macros in libc's headers.
#undef getc
#undef getchar
#undef putc

namespace foretell::rt {

struct RealFunctions {
#define FORETELL_REAL(name, result, parameters, version) result(*name) parameters;
#include "runtime/platform/real.def"
};

// Filled by resolve_real_functions. Before that every entry is null, so code that can run before
// the library's constructor calls initialize() first.
extern RealFunctions real;

void resolve_real_functions();

// A program in C may load libstdc++ later, beside a library of its own, where RTLD_NEXT does not
// look. Called by the functions of libstdc++ that find their own entry null.
void resolve_cxx_functions();
// The same of OpenMP's library.
void resolve_openmp_functions();

}  // namespace foretell::rt

// An intercepted function is exported under its own name and must keep C's linkage.
#define FORETELL_INTERCEPT extern "C" __attribute__((visibility("default")))
