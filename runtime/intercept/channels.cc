// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/channels.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/atomic_order.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

constexpr uintptr_t kChannels = uintptr_t{1} << 46 | 1;

const void* channel(uint64_t number) {
  constexpr uintptr_t kSpread = (uintptr_t{1} << 40) - 1;
  return reinterpret_cast<void*>(kChannels + (number * 8 & kSpread));
}

const void* meeting_place() {
  return channel(0);
}

// The channels of sockets by their inode numbers: a connection that has ended forgets its names
// before its last bytes are read.
os::Lock lock_;
AddressTable<const void*> channel_of_socket_;

const void* key_of(ino_t inode) {
  return reinterpret_cast<void*>(inode);
}

uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint64_t hash(const void* bytes, size_t size, uint64_t start) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint64_t h = mixed(start + 1);
  for (size_t i = 0; i < size; i++) h = mixed(h ^ at[i]);
  return h;
}

struct Name {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  };
  socklen_t size;
};

// 0 for a local socket without a name.
uint64_t hash_of(const Name& name) {
  constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
  switch (name.any.sa_family) {
    case AF_INET:
      return hash(&name.v4.sin_addr, 4, name.v4.sin_port);
    case AF_INET6:
      // An IPv4 peer of a socket for both: the peer calls itself by the last four bytes.
      if (IN6_IS_ADDR_V4MAPPED(&name.v6.sin6_addr)) {
        return hash(name.v6.sin6_addr.s6_addr + 12, 4, name.v6.sin6_port);
      }
      return hash(&name.v6.sin6_addr, 16, name.v6.sin6_port);
    case AF_UNIX:
      return name.size > kPathAt ? hash(name.local.sun_path, name.size - kPathAt, 0) : 0;
    default:
      return 0;
  }
}

// Both ends come to the same sum. Null if it has no peer, or carries messages, which anybody may
// have sent.
const void* channel_by_names(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  os::call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, os::word(&type), os::word(&size));
  if (type != SOCK_STREAM && type != SOCK_SEQPACKET) return nullptr;
  Name own{{}, sizeof(sockaddr_un)}, peer{{}, sizeof(sockaddr_un)};
  if (os::call(SYS_getsockname, fd, os::word(&own.any), os::word(&own.size)) != 0) return nullptr;
  if (os::call(SYS_getpeername, fd, os::word(&peer.any), os::word(&peer.size)) != 0) return nullptr;
  const uint64_t sum = hash_of(own) + hash_of(peer);
  return sum == 0 ? nullptr : channel(sum | 1);
}

const void* channel_of_socket(int fd, ino_t inode) {
  {
    os::Guard guard(lock_);
    if (const void** known = channel_of_socket_.find(key_of(inode))) return *known;
  }
  const void* found = channel_by_names(fd);
  if (!found) return meeting_place();
  os::Guard guard(lock_);
  if (const void** slot = channel_of_socket_.find_or_add(key_of(inode))) *slot = found;
  return found;
}

bool is_about(int fd, struct stat& about) {
  return os::call(SYS_fstat, fd, os::word(&about)) == 0;
}

// Apart from inode numbers, which are small.
const void* channel_of_signals() {
  return channel(uint64_t{1} << 36);
}

// Of the descriptors that are no files only the kernel's name for them tells what they are.
bool is_signalfd(int fd) {
  char path[32] = "/proc/self/fd/";
  char* end = path + os::length(path);
  os::append_number(end, static_cast<uint32_t>(fd));
  constexpr char kName[] = "anon_inode:[signalfd]";
  char name[sizeof kName] = {};
  const long size = os::call(SYS_readlink, os::word(path), os::word(name), sizeof name);
  return size == sizeof kName - 1 && os::equal(name, kName, sizeof kName - 1);
}

// Null for what orders nothing.
const void* channel_of(int fd) {
  struct stat about;
  if (!is_about(fd, about)) return nullptr;
  switch (about.st_mode & S_IFMT) {
    case S_IFIFO:
      return channel(about.st_ino);
    case 0:  // eventfd and similar ones, all of one inode
      return is_signalfd(fd) ? channel_of_signals() : channel(about.st_ino);
    case S_IFSOCK:
      return channel_of_socket(fd, about.st_ino);
    default:
      return nullptr;
  }
}

// A read-modify-write, so that who reads is after all that was written before.
void put_written(Thread* thread, uint32_t site, const void* where) {
  const AtomicOrder order(where);
  put(thread, Op::AtomicRmw, site, where, kReleaseByte, 0, 0);
}

void put_read(Thread* thread, uint32_t site, const void* where) {
  before_step(thread, false);
  const AtomicOrder order(where);
  put(thread, Op::AtomicRead, site, where, kAcquireByte, 0);
}

void give(const Call& call, const void* where) {
  before_step(call.thread, false);
  put_written(call.thread, call.site, where);
}

const void* channel_of_object(int id) {
  return channel((uint64_t{1} << 36) + 1 + static_cast<uint32_t>(id));
}
const void* channel_of_address(const void* address) {
  constexpr uint64_t kFirst = uint64_t{1} << 35;
  return channel(kFirst + (reinterpret_cast<uintptr_t>(address) >> 2 & (kFirst - 1)));
}
const void* channel_of_file(int fd) {
  struct stat about;
  return channel(is_about(fd, about) ? about.st_ino : 0);
}

}  // namespace

void note_written(const Call& call, int fd) {
  if (const void* where = channel_of(fd)) put_written(call.thread, call.site, where);
}

void note_read(const Call& call, int fd) {
  if (const void* where = channel_of(fd)) put_read(call.thread, call.site, where);
}

void note_end(const Call& call, int fd) {
  const void* where = channel_of(fd);
  if (where) give(call, where);
}

void note_connecting(const Call& call) {
  give(call, meeting_place());
}

void note_accepted(const Call& call) {
  put_read(call.thread, call.site, meeting_place());
}

void note_given(const Call& call, int fd) {
  give(call, channel_of_file(fd));
}

void note_taken(const Call& call, int fd) {
  put_read(call.thread, call.site, channel_of_file(fd));
}

void note_given_to(const Call& call, int id) {
  give(call, channel_of_object(id));
}

void note_taken_from(const Call& call, int id) {
  put_read(call.thread, call.site, channel_of_object(id));
}

void note_given_at(const Call& call, const void* address) {
  give(call, channel_of_address(address));
}

void note_taken_at(const Call& call, const void* address) {
  put_read(call.thread, call.site, channel_of_address(address));
}

void note_exchanged_at(const Call& call, const void* address) {
  const void* where = channel_of_address(address);
  before_step(call.thread, false);
  const AtomicOrder order(where);
  put(call.thread, Op::AtomicRmw, call.site, where, kAcquireReleaseByte, 0, 0);
}

void note_signal_sent(Thread* thread) {
  before_step(thread);
  put_written(thread, recording::kNoSite, channel_of_signals());
}

void note_signal_taken(Thread* thread) {
  put_read(thread, recording::kNoSite, channel_of_signals());
}

void note_pair(const int ends[2]) {
  struct stat first, second;
  if (!is_about(ends[0], first) || !is_about(ends[1], second)) return;
  os::Guard guard(lock_);
  const ino_t inodes[] = {first.st_ino, second.st_ino};
  for (ino_t inode : inodes) {
    if (const void** slot = channel_of_socket_.find_or_add(key_of(inode))) {
      *slot = channel(first.st_ino);
    }
  }
}

bool is_channel(int fd) {
  struct stat about;
  if (!is_about(fd, about)) return false;
  const mode_t kind = about.st_mode & S_IFMT;
  return kind == S_IFIFO || kind == S_IFSOCK || kind == 0;
}

namespace {

void forget_lock() {
  lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_lock);

}  // namespace

}  // namespace foretell::rt
