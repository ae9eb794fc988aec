// What goes through a pipe or socket orders its reader after its writer.
//
// To the trace a channel is an atomic, written with release and read with acquire, at an address
// that is nobody's. A pipe's is made of its inode number. The two ends of a connection are two
// inodes: they have one channel because each knows the other's name, or because socketpair made
// them. All other sockets share one, as listening and connecting do.
#pragma once

#include "../thread.h"

namespace foretell::rt {

void note_written(const Call& call, int fd);  // before the call, in its step
void note_read(const Call& call, int fd);     // after the call, a step of its own
// Before the call that closes the descriptor: its reader sees the end of the stream.
void note_end(const Call& call, int fd);

// The same for connect and accept, before there is a connection.
void note_connecting(const Call& call);
void note_accepted(const Call& call);

void note_pair(const int ends[2]);

// Whether what is written there may be read by another thread.
bool is_channel(int fd);

}  // namespace foretell::rt
