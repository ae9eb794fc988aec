// SPDX-License-Identifier: Apache-2.0

// Signals.
//
// A handler of the program is code of the program: it takes steps. It must not take them in the
// middle of another one, so the runtime catches signals itself and runs the program's handler at
// the next safe point of the thread: an intercepted call, or a hook that comes to the runtime.
// Where the interrupted code is certainly not inside a step, the handler runs at once: in a real
// system call that blocks, and in objects that were not instrumented.
//
// Faults cannot wait. Their handlers run at once, off the stream: nothing they do is recorded.
//
// What one thread of the program sends to another in controlled mode does not go through the
// kernel, which would deliver it at a moment of its own choosing.
//
// A fault without a handler is noted in the recording, and then takes its course.
#pragma once

#include <signal.h>

#include "runtime/threads/thread.h"

namespace foretell::rt {

// Watches for faults from here on.
void start_signals();

// False for signals that the C library keeps for itself, and those nobody can catch.
bool can_be_caught(int signal);
// What sigaction does for a signal that can be caught.
int set_action(int signal, const struct sigaction* action, struct sigaction* old);

// Runs the handlers that wait. The thread is inside the runtime and has the token. True if one of
// them has no SA_RESTART: the call it interrupts ends with EINTR.
bool handle_signals(Thread* thread);

// Controlled mode: the signal is for this thread, sent by another. False if the kernel must do it.
bool send_signal(Thread* target, int signal);

// The thread is about to jump out of a handler.
void leave_fault_handler(Thread* thread);

// Code of the program that is compiled with hooks; a signal there must wait.
void add_instrumented_object(const void* address_in_it);
// True also if there are too many such objects to know.
bool is_instrumented(const void* address);

}  // namespace foretell::rt
