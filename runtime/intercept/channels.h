// SPDX-License-Identifier: Apache-2.0

// What goes through a pipe or socket orders its reader after its writer.
//
// In the trace a channel is an atomic, written with release and read with acquire, at an address
// that nothing else uses. A pipe's is made of its inode number. The two ends of a connection are
// two inodes: they have one channel because each knows the other's name, or because socketpair made
// them. All other sockets share one, as listening and connecting do. Other things that the kernel
// hands from thread to thread are channels too.
#pragma once

#include "runtime/intercept/call.h"
#include "runtime/intercept/start.h"
#include "runtime/threads/thread.h"

namespace foretell::rt {

void note_written(const Call& call, int fd);  // before the call, in its step
void note_read(const Call& call, int fd);     // after the call, a step of its own
// Before the call that closes the descriptor: its reader sees the end of the stream.
void note_end(const Call& call, int fd);

// The same for connect and accept, before there is a connection.
void note_connecting(const Call& call);
void note_accepted(const Call& call);

void note_pair(const int ends[2]);

// Locks on files, message queues, semaphores of System V: a receiver comes after all earlier
// senders. The same as above for what has no channel of its own. Of a file:
void note_given(const Call& call, int fd);
void note_taken(const Call& call, int fd);
// Of an object of System V:
void note_given_to(const Call& call, int id);
void note_taken_from(const Call& call, int id);

// Of a lock or futex that code uses which was not instrumented (unseen.h):
void note_given_at(const Call& call, const void* address);
void note_taken_at(const Call& call, const void* address);
void note_exchanged_at(const Call& call, const void* address);  // both

// A handler, or a thread that waits for signals, comes after every thread that sent one or armed a
// timer. Signals are not distinguished.
void note_signal_sent(Thread* thread);
void note_signal_taken(Thread* thread);

// Whether what is written there may be read by another thread.
bool is_channel(int fd);

}  // namespace foretell::rt
