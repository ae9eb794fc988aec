// SPDX-License-Identifier: Apache-2.0

// A file system in the manner of Daisy (SLICED 5.1): files of blocks on a disk; every file and every
// block has a lock of its own that waits in a loop. One thread creates a file and writes to it again
// and again, another one removes it.
//
// Two variants, as in the document: the disk is a file of the operating system, of which only a
// handle is seen (Daisy), or an array of bytes (Daisy-2: compile with -DDAISY2).
//
// RACE(end) both variants: whoever makes room changes where the disk ends, and the other thread looks at
//   it; each without a lock of the disk, and only the locks of a file lie between.
// RACE(bytes) Daisy-2: the second thread looks at the header of a block whose lock it does not hold.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

constexpr int kFiles = 8, kBlocks = 64, kBlockSize = 8;

// A lock as Daisy has it: one word under a monitor, and a loop.
struct SpinLock {
  pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
  int held = 0;

  void acquire() {
    for (;;) {
      pthread_mutex_lock(&monitor);
      const bool mine = held == 0;
      if (mine) held = 1;
      pthread_mutex_unlock(&monitor);
      if (mine) return;
      sched_yield();
    }
  }
  void release() {
    pthread_mutex_lock(&monitor);
    held = 0;
    pthread_mutex_unlock(&monitor);
  }
};

class Disk {
 public:
#ifdef DAISY2
  void put(int at, char byte) { bytes_[at] = byte; }
  char at(int at) const { return bytes_[at]; }
  void close() {}

 private:
  char bytes_[kBlocks * kBlockSize] = {};
#else
  Disk() {
    char name[] = "/tmp/daisy-XXXXXX";
    file_ = mkstemp(name);
    unlink(name);
  }
  void put(int at, char byte) {
    if (pwrite(file_, &byte, 1, at) != 1) abort();
  }
  char at(int at) const {
    char byte = 0;
    return pread(file_, &byte, 1, at) == 1 ? byte : '\0';
  }
  void close() { ::close(file_); }

 private:
  int file_;
#endif
};

struct File {
  SpinLock lock;
  int used = 0, block = -1;
};

Disk disk;
File files[kFiles];
SpinLock block_locks[kBlocks];
pthread_mutex_t map = PTHREAD_MUTEX_INITIALIZER;
int free_blocks[kBlocks];
int disk_end = 0;

__attribute__((noinline)) void write_block(int block, char byte) {
  disk.put(block * kBlockSize, 'D');
  for (int i = 1; i < kBlockSize; i++) disk.put(block * kBlockSize + i, byte);
}

__attribute__((noinline)) void free_block(int block) {
  pthread_mutex_lock(&map);
  free_blocks[block] = 1;
  pthread_mutex_unlock(&map);
}

int take_block() {
  pthread_mutex_lock(&map);
  int block = 0;
  while (!free_blocks[block]) block++;
  free_blocks[block] = 0;
  pthread_mutex_unlock(&map);
  return block;
}

// The block of the new file.
int create(File& file) {
  file.lock.acquire();
  file.used = 1;
  file.block = take_block();
  const int block = file.block;
  file.lock.release();
  return block;
}

void write(File& file, int block, char byte) {
  file.lock.acquire();
  block_locks[block].acquire();
  write_block(block, byte);
  block_locks[block].release();
  file.lock.release();
}

void remove(File& file) {
  file.lock.acquire();
  if (file.used) {
    file.used = 0;
    free_block(file.block);
  }
  file.lock.release();
}

void* writer(void* unused) {
  const int block = create(files[0]);
  const int other = create(files[1]);
  disk_end = (block > other ? block : other) + 1;  // RACE(end)
  write(files[1], other, 'b');
  write(files[0], block, 'a');
  return unused;
}

void* remover(void* unused) {
  remove(files[0]);
  if (disk_end > kBlocks) abort();          // RACE(end)
  if (disk.at(kBlockSize) == '?') abort();  // RACE(bytes)
  return unused;
}

int main() {
  for (int& is_free : free_blocks) is_free = 1;
  pthread_t first, second;
  pthread_create(&first, nullptr, writer, nullptr);
  pthread_create(&second, nullptr, remover, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
  disk.close();
  std::puts("done");
}
